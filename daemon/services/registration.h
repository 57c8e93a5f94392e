/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registrations: programs being looked up or analysed, each once for all that ask at a time. For
 * the services that register (register.c, variants.c) alone.
 *
 * A registration has a program analysed in one language (daemon/codec/language.h): in one that a
 * question wanted, else in that of the device that a question without a device means. Where that
 * one's compiler would refuse it, others' are tried: who asks registers it again, and has it in
 * time.
 */
#ifndef PREDICTD_DAEMON_SERVICES_REGISTRATION_H
#define PREDICTD_DAEMON_SERVICES_REGISTRATION_H

#include "daemon/services/service.h"

struct batch;
struct chunk;
struct registration;

enum { DESCRIBED_IN_STEP = 256 /* kernels and arguments: some fifty microseconds */ };

/* An answer being made, in an arena. */
struct description {
	uint64_t handle, language;
	size_t kernel, argument; /* the next */
	Predictd__RegisterReply reply;
	Predictd__KernelInfo *infos; /* NULL: not begun */
};

/* Embedded in what waits for a registration. */
struct registration_wait {
	struct registration *registration;             /* NULL: it waits for none */
	void (*known)(struct registration_wait *wait); /* what came of it, which may be read now */
	struct registration_wait *next, *prev;
};

/* A program being looked up or analysed, and who waits for it, or for his turn to be answered. */
struct registration {
	struct program_lookup lookup;
	struct daemon *daemon;
	struct program_key key;     /* in its language */
	struct program_key program; /* of source, options and headers */
	uint64_t language;
	uid_t user;     /* who asked first */
	uint8_t *frame; /* for the analyser; NULL: it has it */
	size_t frame_bytes;
	struct analysis_job *job; /* of this program alone; NULL: none was ordered */
	struct batch *batch;      /* that has it analysed instead (batch.h), or NULL; */
	char *options;            /* of this program there; */
	struct chunk *chunk;      /* the child's; NULL: it waits for one, or is looked up */
	bool is_queued, is_alone; /* it waits for one; which has no other variant */
	bool is_sought;           /* it is looked up */
	bool is_urgent; /* another user waits for it, too: it is his (`user`) from there on */
	struct registration *next, *prev; /* of those queued */
	struct user_share share; /* the frame, of who asked first; the answer, of who makes it */
	struct registration_wait *waits;
	bool is_known;                  /* what came of it: */
	struct error error;             /* if anything is wrong, */
	struct analysis_report report;  /* and the header that is missing then, or */
	struct description description; /* the answer, being made, */
	struct arena arena;             /* of it, */
	uint8_t *body;                  /* and packed but for an id, for all that wait */
	size_t body_bytes;
	UT_hash_handle hh;
};

/* The answer that a whole description makes. */
Predictd__Response description_response(struct description *description);

/* Some more of a program's description; *is_whole when there is no more. */
enum status description_step(struct program_cache *programs, struct description *description,
                             struct arena *arena, bool *is_whole, struct error *error);

/* Whether a message may be registered. */
enum status registration_check(const Predictd__Program *program, struct error *error);

/*
 * In which language a program is to be analysed: wanted ones first, each analysed once; then the
 * default, then what other devices have. One that refused the program is passed over; where every
 * one did, *error says why the default did.
 */
enum status registration_language(struct daemon *daemon, const struct program_key *program,
                                  uint64_t *language, struct error *error);

/*
 * Waits for what is known of a program, which is found out once for all.
 *
 * program   borrowed
 * known     the program, where it is known; else NULL
 * batch     that has it analysed where that takes an analysis; NULL: it is analysed by itself
 *
 * On success the registration is the wait's until registration_leave. wait->known is called later,
 * unless wait->registration->is_known says that there is nothing to wait for.
 */
enum status registration_join(struct session *session, const Predictd__Program *program,
                              const struct program_key *key, uint64_t language,
                              const struct program *known, struct batch *batch,
                              struct registration_wait *wait, struct error *error);

/*
 * Goes on with the answer of a known one for a user; true when it is packed (`body`), or what is
 * wrong is known (`error`, `report`). *fits: within what the user may hold.
 */
bool registration_answer(struct registration *registration, struct user *user, bool *fits);

/* Waits no more; what nobody waits for ends. */
void registration_leave(struct registration_wait *wait);

/* Sets the language of a request to the analyser; borrowed of the device that has it. */
enum status registration_profile(const struct daemon *daemon, uint64_t language,
                                 ProtobufCBinaryData *profile, struct error *error);

/* What an analysis found; takes its content, and ends the registration for who orders it. */
void registration_analysed(struct registration *registration, struct analysis_result *result);

/* It has failed, or nobody wants it any more. */
void registration_fail(struct registration *registration, const struct error *error);

/* The message of what is wrong, borrowed of the registration. */
void registration_error(struct registration *registration, Predictd__Error *message);

#endif
