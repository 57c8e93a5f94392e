/* SPDX-License-Identifier: Apache-2.0 */
/* A language profile (daemon/codec/language.h) as the front-end takes it. */
#ifndef PREDICTD_ANALYSER_PROFILE_H
#define PREDICTD_ANALYSER_PROFILE_H

#include <stdbool.h>

#include "model/frontend/frontend.h"
#include "proto/predictd.pb-c.h"

/*
 * Borrows the message, which language_unpack has checked. What it allocates lives as long as the
 * process, which analyses one source. False: no memory.
 */
bool profile_language(const Predictd__Language *from, struct frontend_language *language);

#endif
