/* SPDX-License-Identifier: Apache-2.0 */
/* How the time of a calibration is shared out among its stages. */
#include "daemon/calibrator/share.h"

#include <math.h>

#define MOST_SHARES 2.0
#define KEPT_SHARE  0.5

double share_of_stage(double weight, double left, double all, double left_s, double planned_s)
{
	double share_s = fmax(left_s, 0) * weight / left;
	double kept_s = KEPT_SHARE * planned_s * (left - weight) / all;
	return fmax(share_s, fmin(MOST_SHARES * share_s, left_s - kept_s));
}
