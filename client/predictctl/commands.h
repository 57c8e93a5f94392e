/* SPDX-License-Identifier: Apache-2.0 */
/* The sub-commands: each takes the parsed options and gives predictctl's exit code. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_COMMANDS_H
#define PREDICTD_CLIENT_PREDICTCTL_COMMANDS_H

#include "client/predictctl/options.h"

enum exit_code command_status(const struct options *options);
enum exit_code command_waitsync(const struct options *options);
enum exit_code command_top(const struct options *options);
enum exit_code command_kernels(const struct options *options);
enum exit_code command_users(const struct options *options);
enum exit_code command_backup(const struct options *options);
enum exit_code command_restore(const struct options *options);
enum exit_code command_metrics(const struct options *options);
enum exit_code command_devices(const struct options *options);
enum exit_code command_calibrate(const struct options *options);
enum exit_code command_remove(const struct options *options);
enum exit_code command_export(const struct options *options);
enum exit_code command_import(const struct options *options);
enum exit_code command_predict(const struct options *options);
enum exit_code command_measure(const struct options *options);
enum exit_code command_evaluate(const struct options *options);
enum exit_code command_place(const struct options *options);
enum exit_code command_split(const struct options *options);
enum exit_code command_cases(const struct options *options);
enum exit_code command_observe(const struct options *options);
enum exit_code command_history(const struct options *options);
enum exit_code command_forget(const struct options *options);
enum exit_code command_starpu_export(const struct options *options);
enum exit_code command_starpu_import(const struct options *options);
/* Gives the program's status, as a shell has it. */
enum exit_code command_run(const struct options *options);
/* Both take the words from the command's own on, NULL at their end; they return where what they
 * start cannot be run. */
enum exit_code command_python(const char *module, int argc, char **argv);
enum exit_code command_layer(const struct options *options);
enum exit_code command_share(int argc, char **argv);
enum exit_code command_doctor(const struct options *options);

json_t *device_json(const predictd_device *device, bool verbose);
/* What its calibration doubts, a line each; without an indentation the device is named. */
void doubts_print(const predictd_device *device, const char *indentation);

#endif
