/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program: source, options and the headers that came along. */
#ifndef PREDICTD_CALIBRATOR_PROGRAM_H
#define PREDICTD_CALIBRATOR_PROGRAM_H

#include "daemon/calibrator/opencl.h"
#include "proto/predictd.pb-c.h"

/*
 * Builds it. Headers are written to a private directory for the time of the
 * build, which is added to the include path; a header's name must stay inside.
 * with_types asks the driver to keep the types of the arguments.
 */
enum status program_build(struct opencl *opencl, const Predictd__Program *program, bool with_types,
                          cl_program *built, struct error *error);

#endif
