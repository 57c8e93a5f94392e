/* SPDX-License-Identifier: Apache-2.0 */
/* How the time of a calibration is shared out among its stages. */
#ifndef PREDICTD_CALIBRATOR_SHARE_H
#define PREDICTD_CALIBRATOR_SHARE_H

/*
 * Seconds that a stage may take: twice its share of what is left, as long as all that follow keep
 * half of what was planned for them. However greedy each is, none has less than that half.
 *
 * weight     of the stage
 * left, all  weight of this stage and those that follow; of all stages
 * left_s     seconds until the end
 * planned_s  seconds for all stages, when the first began
 */
double share_of_stage(double weight, double left, double all, double left_s, double planned_s);

#endif
