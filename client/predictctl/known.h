/* SPDX-License-Identifier: Apache-2.0 */
/* Names of users, for people. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_KNOWN_H
#define PREDICTD_CLIENT_PREDICTCTL_KNOWN_H

#include "client/predictctl/text.h"

/* The user's name, or the number where he has none here. */
void user_text(uint32_t uid, char text[TEXT_MAX]);

#endif
