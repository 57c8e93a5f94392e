/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch-time evaluation: what a launch does, from its NDRange and arguments.
 *
 * The integer part of the graph (and reals that follow from arguments) is
 * evaluated for the lanes of a few sampled warps, with unknown for what depends
 * on memory, walking the statement tree with a weight per lane and per warp.
 * A warp pays for a block when any of its lanes enters it. Long loops are
 * counted in closed form and their bodies sampled at a few iterations.
 * A loop from start[i] to start[i + 1] takes the mean length of a row, where a size tells it.
 * Defaults where data decides: 16 trips of a loop without a known bound, one of a
 * loop that repeats an exchange until it succeeds, half of the bound of a loop that may leave
 * early, at a branch half of the work-items, or what evaluate/chance.c says of an equation; what a
 * dry run of some work-items says comes before (model/evaluate/dryrun.h), and hints
 * (by line) override. Each default used stands in
 * the note.
 */
#ifndef PREDICTD_MODEL_EVALUATE_EVALUATE_H
#define PREDICTD_MODEL_EVALUATE_EVALUATE_H

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/evaluate/note.h"
#include "model/ir/affine.h"
#include "model/ir/ir.h"

enum {
	EVALUATE_WARPS_MAX = 16, /* at once */
	EVALUATE_LANES_MAX = 1024,
	EVALUATE_PARTS = 32,   /* of the NDRange, from the first work-group to the last */
	EVALUATE_LINES = 4,    /* 32, 64, 128, 256 bytes */
	EVALUATE_MEETINGS = 3, /* the first of ATOMIC_NEIGHBOURS_TABLE */
	EVALUATE_TRIPS_DEFAULT = 16
};

/* Bytes of evaluation_access.lines[at]. */
#define EVALUATE_LINE_BYTES(at) (32.0 * (1 << (at)))

struct evaluation_block {
	double executions;      /* per work-item, mean over the launch */
	double warp_executions; /* per warp */
	double doubt;           /* of a loop or the first side of a branch, where data decide: the
	                           standard deviation of ln(trips), or of the branch's log odds; else 0 */
	/* of an execution: quotients, and rests, that a CPU's compiler branches around */
	double bypassed[2];
	/* of the first side of a branch that samples decide about: work-items that come to it after
	 * their neighbour, and of those the ones that go another way than that; sums */
	struct {
		double all, changed;
	} neighbours;
};

struct evaluation_access {
	double executions;            /* per work-item, after hoisting */
	double warp_executions;       /* per warp, after hoisting */
	double lanes;                 /* active work-items of one execution by a warp */
	double segments;              /* distinct segments that one execution touches */
	double lines[EVALUATE_LINES]; /* the same in lines of 32 << i bytes */
	double pages;                 /* of 4 KiB, the same */
	double addresses;             /* distinct addresses of one execution */
	/* Where data part a warp, lines[], pages and addresses are those of its lanes wherever they
	 * go, since others that go another way fill what they leave; ways and came those of a part
	 */
	struct {
		double sectors, lines, addresses; /* of 32, of 128 bytes */
	} came;
	double ways; /* bank conflict ways, 1: none; of a first level, turns in which a warp's load
	                passes it; of an atomic: turns.h */
	double unit, uniform;         /* share of executions with neighbouring, with one address */
	double unknown;               /* share of lanes whose address depends on data */
	double low_bytes, high_bytes; /* range of the addresses seen; high <= low: none seen */
	uint64_t object_bytes;        /* size of what it goes to; 0: not known */
	double bytes;                 /* moved by one work-item: of an image a texel */
	uint64_t pitch_bytes;         /* of an image with rows: one row; else 0 */
	uint8_t image_way;            /* of an image: enum image_way */
	uint8_t image_class;          /* of an image: enum image_class */
	struct affine address;        /* byte address in the object */
	double halvings;              /* steps of a bisection that reads there; 0: another access */
	double halved;                /* and the intervals that those of the launch begin with */
	/* of an index that was sampled, see evaluate/indirect.h: lines of 32 << i bytes that most
	 * accesses go to, and the share of those that go anywhere */
	bool is_sampled;
	double hot_lines[EVALUATE_LINES], cold_share[EVALUATE_LINES];
	/* of an atomic whose place was sampled, see evaluate/meet.h: the chance that two meet in a
	 * line, and the share of the line where they do; of a GPU also of longer blocks of lines;
	 * 0: not known */
	double meet_share, hot_share[EVALUATE_MEETINGS];
	bool is_met; /* they were counted: where the shares are 0, none have met */
	/* of the same on a CPU: the share that goes to a line where a work-item close by goes, too;
	 * 0: none, or not known */
	double joined_share;
	double same_share;  /* of an exchange: the chance that two go to one address */
	double reach_bytes; /* of a random address: as far as its object leaves room for what data
	                       add to the form; 0: anywhere */
};

struct evaluation_loop {
	double trips;    /* per entry, mean over the work-items that enter */
	double entries;  /* per work-item */
	double most;     /* trips of one entry in any of the sampled work-items */
	bool is_assumed; /* data decides: a default or a hint */
	bool is_endless; /* the launch decides, and ends it in no iteration */
	double usual; /* share of entries with as many trips as most have, of those that are drawn
	                 or hang on samples; else 0 */
	uint32_t parent; /* index of the loop around it, or IR_NONE */
};

struct evaluation {
	uint64_t items, groups, group_items;
	uint64_t group_count[3];
	unsigned warp_items;                /* lanes of a warp (CPU: of a chunk of work-items) */
	uint64_t group_warps;               /* warps of a work-group, rounded up */
	double warps;                       /* of the launch */
	struct evaluation_block *blocks;    /* kernel->block_count */
	struct evaluation_access *accesses; /* kernel->access_count */
	struct evaluation_loop *loops;      /* summary->loop_count */
	/* by how much more work the last work-group has than the first, in means; 0: no more than
	 * they differ by otherwise */
	double slope;
	/* where samples decide: the standard error of the mean work, in means, since not all warps
	 * are looked at, nor all of what they read; else 0 */
	double work_error;
	/* where samples tell it and nothing runs in lockstep: of each of `parts` equal parts of the
	 * NDRange the executions of each block, per work-item; [parts][2][kernel->block_count]: of
	 * two halves of its sampled work-items, NAN of one that has none. Else 0, NULL */
	unsigned parts;
	float *part_executions;
	bool is_capped, is_data_dependent;
	bool has_rows;       /* loops go along rows, which are taken to be as long as their mean */
	bool has_equal_rows; /* as sizes say, what they share divides by how many they are; or
	                        samples tell how long each is */
	uint64_t used;       /* of the budget */
	char note[EVALUATE_NOTE_MAX];
};

/*
 * Evaluates a checked launch of a sealed kernel.
 *
 * budget      evaluated nodes times lanes, > 0; never exceeded by more than one block
 * evaluation  out: freed with evaluation_deinit; empty on error
 *
 * STATUS_NO_MEMORY.
 */
enum status evaluate(const struct ir_kernel *kernel, const struct device *device,
                     const struct launch *launch, uint64_t budget, struct evaluation *evaluation,
                     struct error *error);
void evaluation_deinit(struct evaluation *evaluation); /* accepts an empty one */

/* Lines of `all`, 32 << at bytes long, that so many accesses touch whose index was sampled. */
double indirect_lines(const struct evaluation_access *access, unsigned at, double accesses,
                      double all);

/* Places of `all` that so many executions of a bisection's access touch: see evaluate/halving.c. */
double halving_places(const struct evaluation_access *access, double executions, double all);

/*
 * Turns in which a warp's load passes the first level of a GPU, where its lanes are apart.
 *
 * stride  bytes between neighbours
 * bytes   of a lane
 */
double evaluate_turns(const struct device *device, int64_t stride, double bytes, double lanes);

#endif
