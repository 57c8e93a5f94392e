/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that print and end: what did not arrive on standard output is said, and is a failure. */
#ifndef PREDICTD_PROTO_PRINTED_H
#define PREDICTD_PROTO_PRINTED_H

/* The exit status in place of `code` once standard output is flushed: EXIT_FAILURE for EXIT_SUCCESS
 * where something is lost, which is said as `program`'s complaint. */
int printed(const char *program, int code);

#endif
