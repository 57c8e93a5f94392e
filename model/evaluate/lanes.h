/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of nodes for the lanes of the sampled warps; internal to the
 * evaluation.
 *
 * Each needed node has a slot of `lanes` values. Nodes stand in lists, one per
 * loop (list 0: outside all loops): a node belongs to the last loop that it
 * depends on, and its list is evaluated, in order of ids, whenever that loop's
 * variables change.
 */
#ifndef PREDICTD_MODEL_EVALUATE_LANES_H
#define PREDICTD_MODEL_EVALUATE_LANES_H

#include <string.h>

#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"
#include "model/underived.h"

enum { DRAWN_KEPT = 64, SHORT_TRIPS = 16 };

/* A place that exits leave to: the weights of those that arrived. */
struct evaluator_target {
	uint32_t statement; /* IR_NONE: the kernel */
	float *weight, *warp_weight;
	float *again; /* of a loop: lanes, then warps, that go on with its next iteration */
	float *left;  /* of a loop: those that left it for a place further out; else NULL */
	struct evaluator_target *outer;
};

struct evaluator_loop {
	uint32_t first, count;           /* its list in order[] */
	uint32_t condition_count;        /* its first so many nodes serve the condition */
	uint32_t depth;                  /* loops around it */
	uint32_t exits;                  /* statements that leave it early */
	bool has_known_exit;             /* the launch decides about an early exit: simulate */
	bool has_drawn_exit;             /* and values drawn from a range have a part in it */
	bool has_data_exit;              /* memory decides about it */
	bool is_by_lane;                 /* what decides is not the same for all of a work-group */
	bool is_stepped;                 /* a variable of the condition has no closed form */
	bool has_sequence;               /* another needed variable has none */
	bool is_assumed;                 /* data decided, at least once */
	double trip_weight, trips_total; /* sums over samples */
	bool takes_advance;   /* variables without a closed form go as far as is likely */
	bool is_open;         /* its trips cannot be drawn */
	bool is_boundless;    /* nothing but data ends it */
	bool is_window;       /* goes through what is in order until it is far enough */
	uint32_t drawn_count; /* trips drawn so far, and the newest of them */
	uint32_t drawn[DRAWN_KEPT];
	double most;                       /* trips of an entry, in any sample */
	double mean;                       /* of those that are being walked */
	double short_entries[SHORT_TRIPS]; /* by how many trips, where those are drawn */
};

/* Where rows begin: see evaluate/rows.c. start[i] is about low + i * mean. */
struct evaluator_rows {
	bool is_known;
	uint32_t object;
	int64_t low;
	double count, mean;
};

/* Sums over sampled warps of where they are (x) and what they work (y). */
struct evaluator_slope {
	double count, x, y, xx, xy, yy;
};

struct evaluator {
	const struct ir_kernel *kernel;
	const struct ir_summary *summary;
	const struct launch *launch;
	const struct device *device;
	struct evaluation *result;
	uint64_t budget, used;
	uint64_t drawn, draws_max; /* the same of iterations that are drawn */
	struct dryrun *dryrun;     /* NULL: not made yet */
	uint64_t dryrun_budget;
	uint64_t *looks; /* nodes that may still be looked at: see evaluator_looks */

	unsigned warp_items, warps, lanes;
	double sample_weight[EVALUATE_WARPS_MAX]; /* warps of the launch that it stands for */
	double sample_place[EVALUATE_WARPS_MAX];  /* of its group among all, 0 to 1 */
	double sample_work[EVALUATE_WARPS_MAX];   /* values computed so far */
	float *block_work;                        /* of one execution */
	struct evaluator_slope slope;
	uint64_t *ids;                   /* [9][lanes]: global, local, group by dimension */
	bool *is_lane;                   /* [lanes]: a work-item of the launch */
	double lanes_total, warps_total; /* sums of what the samples stand for */

	/* per node */
	uint32_t *slot;  /* IR_NONE: not needed */
	uint32_t *list;  /* 0: outside loops, else loop index + 1 */
	uint8_t *flags;  /* enum evaluator_flag */
	uint32_t *alias; /* of a swizzle of one lane: the scalar it takes; else IR_NONE */
	uint32_t *order; /* needed nodes by list and id */
	uint32_t *bypassed, *next_bypassed; /* divisions that may be: a block's, a node's next; 0:
	                                       no more, else node + 1 */
	uint32_t *tried; /* conditions that were tried: see evaluate/trial.c; 0: not yet */
	uint32_t slot_count;
	int64_t *value;
	uint8_t *known;

	struct evaluator_rows rows;
	struct evaluator_loop *loops; /* [0]: outside loops */
	struct evaluator_target *targets;
	float *arena; /* weights of the nested walk */
	size_t arena_used, arena_size;
	double *access_sums; /* see evaluate/access.c */
	/* a bit by hint: walks came to its place; they would have had to guess */
	uint64_t hints_met, hints_needed;
};

/* How far a lane's value is known; combined by bitwise and. */
enum {
	LANES_PLACE = 1,   /* nobody knows, but of one place the same: good for how lanes lie */
	LANES_CHANCE = 3,  /* drawn from the hinted range of a buffer: good where many are drawn */
	LANES_KNOWN = 7,   /* follows from the launch: good for control */
	LANES_COUNTED = 11 /* as LANES_CHANCE, while bound_counters has set it */
};

enum evaluator_flag {
	EVALUATOR_TAINTED = 1,  /* memory or the unknown has a part in it */
	EVALUATOR_VARIES = 2,   /* not the same for all work-items and iterations */
	EVALUATOR_OPAQUE = 4,   /* tainted by what cannot be drawn once for a whole loop */
	EVALUATOR_REDRAWN = 8,  /* by what can, but for loops around its place in one */
	EVALUATOR_BY_LANE = 16, /* a work-item's place in its group has a part in it */
	EVALUATOR_COUNTED = 32  /* a loop that data end has counted it */
};

/*
 * Counts a node that is looked at by what walks from a node to its operands. They are shared, so
 * that there are as many ways through them as the walk is deep to the power of their number; false:
 * enough of them were looked at for one launch, and the walk ends as where it is too deep.
 */
static inline bool evaluator_looks(const struct evaluator *evaluator)
{
	return *evaluator->looks > 0 && (*evaluator->looks)-- > 0;
}

static inline int64_t *lanes_value(const struct evaluator *evaluator, uint32_t node)
{
	return evaluator->value + (size_t)evaluator->slot[node] * evaluator->lanes;
}

static inline uint8_t *lanes_known(const struct evaluator *evaluator, uint32_t node)
{
	return evaluator->known + (size_t)evaluator->slot[node] * evaluator->lanes;
}

static inline bool lanes_has(const struct evaluator *evaluator, uint32_t node)
{
	return node != IR_NONE && evaluator->slot[node] != IR_NONE;
}

/* Finds the needed nodes and their lists; takes the memory for their values. */
bool lanes_init(struct evaluator *evaluator);

/* Evaluates the first `count` nodes of a list. */
void lanes_run(struct evaluator *evaluator, uint32_t list, uint32_t count);

/* Evaluates one node of a list that is being run. */
void lanes_run_node(struct evaluator *evaluator, uint32_t node);

/*
 * What an operator makes of its operands' values, as many as it has; from: the first one's type.
 * k[]: cleared where that is not known. Of scalars.
 */
void lanes_apply(const struct ir_node *n, struct type from, const int64_t *const v[3], int64_t *r,
                 uint8_t *k, unsigned lanes);

/* lanes_wrap of each value. */
void lanes_wrap_all(struct type type, int64_t *values, unsigned count);

/* The value wrapped to an integer type; reals unchanged. */
static inline int64_t lanes_wrap(struct type type, int64_t value)
{
	switch (type.scalar) {
	case SCALAR_BOOL:
		return value != 0;
	case SCALAR_CHAR:
		return (int8_t)value;
	case SCALAR_UCHAR:
		return (uint8_t)value;
	case SCALAR_SHORT:
		return (int16_t)value;
	case SCALAR_USHORT:
		return (uint16_t)value;
	case SCALAR_INT:
		return (int32_t)value;
	case SCALAR_UINT:
		return (uint32_t)value;
	default:
		return value;
	}
}

/* A real as lanes keep it: the bits of a double, rounded to its type. */
static inline int64_t lanes_bits(struct type type, double real)
{
	int64_t bits;

	if (type.scalar != SCALAR_DOUBLE)
		real = (double)(float)real;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static inline double lanes_real(int64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

/* Whether an access is to where rows begin, one after another. */
static inline bool rows_are_of(const struct evaluator_rows *rows, const struct ir_access *access)
{
	return rows->is_known && access->object == rows->object && access->scale_bytes > 0;
}

/*
 * Whether rows are all as long as each other: of lengths that differ a sum hardly ever divides by
 * how many there are. Few say nothing.
 */
bool rows_are_equal(const struct evaluator_rows *rows);

/* Finds evaluator->rows; whether a load reads where a row begins; and its lanes' values: false
 * where that is not known. */
void rows_find(struct evaluator *evaluator);
bool rows_has(const struct evaluator *evaluator, const struct ir_access *access);
bool rows_values(const struct evaluator *evaluator, const struct ir_access *access,
                 struct type type, int64_t *r, uint8_t *k);

/* Where a row begins. */
int64_t rows_begin(const struct evaluator_rows *rows, double row);

/*
 * What the launch says of a node without operands, the same for all work-items; part: of a vector.
 * False: it says nothing, or not of all.
 */
bool lanes_same(const struct evaluator *evaluator, const struct ir_node *n, unsigned part,
                int64_t *value);

/* A number at random as one of the hinted range of an argument. */
int64_t lanes_ranged(const struct launch_argument *argument, struct type type, uint64_t number);

/* Images, see evaluate/texels.c: enum image_size of one (1 where it has no such size), ... */
int64_t lanes_image_size(const struct launch_argument *image, uint64_t what);

/* ... the texels of a NODE_TEXEL, counted row by row, and how far they are known, ... */
void lanes_texel(struct evaluator *evaluator, const struct ir_node *n, int64_t *r, uint8_t *k);

/*
 * ... and least squares of a real node's values, times `scale`, over the global ids without the
 * offset: value = base + sum of step[d] id[d]. *far: how far off the worst is. False
 * where the sampled work-items say nothing.
 */
bool lanes_slopes(const struct evaluator *evaluator, uint32_t node, double scale, double *base,
                  double step[3], double *far);

/* An integer of 64 well mixed bits for each number: the only source of chance. */
uint64_t lanes_mix(uint64_t number);

/*
 * The loop-invariant step of a variable: next = variable + step (1) or - step
 * (-1); 0: next is something else. IR_NONE and 1: it never changes.
 */
int variable_step(const struct evaluator *evaluator, const struct ir_variable *variable,
                  uint32_t *step);

/* How far a variable gets in an iteration, where data choose between ways of it; 0: unknown. */
double variable_advance(const struct evaluator *evaluator, const struct ir_variable *variable);

/* The list of the loop around a block; 0: none. */
static inline uint32_t list_around(const struct evaluator *evaluator, uint32_t block)
{
	uint32_t loop = evaluator->summary->block_loop[block];

	return loop == IR_NONE ? 0 : loop + 1;
}

/* The list of the loop around that of a list; 0: none. */
static inline uint32_t list_outside(const struct evaluator *evaluator, uint32_t list)
{
	uint32_t parent = evaluator->result->loops[list - 1].parent;

	return parent == IR_NONE ? 0 : parent + 1;
}

/* The list of a loop, by its statement. */
static inline uint32_t list_of(const struct evaluator *evaluator, uint32_t statement)
{
	return list_around(evaluator, evaluator->kernel->statements[statement].body);
}

/*
 * Whether an integer is read from a hinted range, the same one in every
 * iteration of the loops around, or is where a row begins.
 */
bool drawn_once(const struct evaluator *evaluator, uint32_t node);

/* Whether a node has a part that is drawn anew in each iteration of that list's loop. */
bool drawn_within(const struct evaluator *evaluator, uint32_t node, uint32_t list);

/* How likely a condition is that data decide, in a lane; what the launch decides of it counts:
 * see evaluate/chance.c. */
double chance_of(const struct evaluator *evaluator, uint32_t condition, unsigned lane);

/*
 * How likely a test holds that asks if a value is the best so far, which a loop's variable keeps,
 * or among the best, which an array of the work-item's own does; false: it asks something else. The
 * mean over all values that are tried: see evaluate/record.c.
 */
bool record_chance(const struct evaluator *evaluator, uint32_t test, double *chance);

/*
 * The same of any of so many lanes that try at once: seldom behind the first tries, when all of
 * them find one nearly always.
 */
double record_chance_of_any(const struct evaluator *evaluator, uint32_t test, unsigned lanes);

/*
 * How likely a condition holds that asks for bytes, masks, remainders and hinted ranges alone, all
 * of whose values are as likely; false: it asks for something else. See evaluate/trial.c.
 */
bool trial_chance(const struct evaluator *evaluator, uint32_t condition, double *chance);

/* Whether that is the same in every lane, as far as is looked. */
bool chance_is_alike(const struct evaluator *evaluator, uint32_t condition);

/*
 * trips[] of a loop for the lanes of some weight, where data can be drawn iteration by
 * iteration; false: not so. Leaves the loop's variables anywhere: see evaluate/draw.c.
 */
bool draw_trips(struct evaluator *evaluator, uint32_t statement, const float *weight,
                uint64_t *trips);

/*
 * The first iteration in which the launch ends a loop by a branch within it, whatever data say,
 * for the lanes of some weight whose trips[] are UINT64_MAX. at: for twice as many as there are
 * lanes. False: in some it never does. Leaves the loop's variables anywhere: see evaluate/bound.c.
 */
bool bound_trips(struct evaluator *evaluator, uint32_t statement, const float *weight,
                 uint64_t *trips, uint64_t *at);

/*
 * trips[] of a loop that takes back what the loop around it has put on, where data decide how much:
 * see evaluate/amortised.c. False: it is no such loop.
 */
bool pops_trips(const struct evaluator *evaluator, uint32_t statement, uint64_t *trips);

/* Whether such a loop stands in a variable's loop and takes back what that variable has counted. */
bool pops_has(const struct evaluator *evaluator, const struct ir_variable *variable);

/*
 * Sets what variables of the loops around one have counted, as data chose, to what it is half way,
 * or forgets it again (is_set: false); whether there is any.
 */
bool bound_counters(struct evaluator *evaluator, uint32_t statement, bool is_set);

/*
 * Trips of a loop that goes on until an integer, divided again and again, is nothing: of numbers
 * of one type half use all bits, a quarter all but one. 0: it is no such loop.
 */
unsigned trips_of_bits(const struct ir_kernel *kernel, const struct ir_statement *loop);

/*
 * Of a loop that keeps its way in an array of its own (a stack of nodes to visit): between one and
 * all of what it reads, evenly by magnitude: the square root of them. 0: it is no such loop.
 */
unsigned trips_of_walk(const struct evaluator *evaluator, uint32_t statement);

/*
 * Of a loop that tries to exchange one place after the other, `most` at the most: as many as an
 * insertion into a table takes that all work-items fill (Knuth, The Art of Computer Programming 3,
 * 6.4: linear probing). 1: of one that tries the same place again.
 */
unsigned trips_of_probes(const struct evaluator *evaluator, uint32_t statement, uint64_t most);

/* A loop's variables at iteration at[lane] (what has no closed form is unknown but at 0), and
 * at the next one, in the lanes of some weight: false without memory. See evaluate/variables.c. */
void loop_set(struct evaluator *evaluator, const struct ir_statement *loop, const uint64_t *at);
bool loop_advance(struct evaluator *evaluator, const struct ir_statement *loop,
                  const float *weight);

/*
 * What a dry run of some work-items found of a loop or branch that data decide; NULL: nothing that
 * says more than nothing. See evaluate/dry.c.
 */
struct dryrun_place;
const struct dryrun_place *dryrun_look(struct evaluator *evaluator, uint32_t statement);

/*
 * Whether what a question says by itself is better than how few work-items have answered it: it is
 * as likely as they say, as far as their number tells; or it is about reals, and says something.
 */
bool dryrun_yields(const struct dryrun_place *place, double chance);

/* Trips of that loop in a lane, and the share of its decisions that go into that branch. */
uint64_t dryrun_trips(const struct evaluator *evaluator, const struct dryrun_place *place,
                      unsigned lane);
/*
 * Those trips beside a bound: of reals, whose scale nobody knows (dryrun_hedges: they end the loop,
 * or one within it), as far from half of it as from what the dry run says.
 */
bool dryrun_hedges(const struct evaluator *evaluator, const struct dryrun_place *place,
                   uint32_t statement);
uint64_t dryrun_hedged(uint64_t trips, uint64_t bound);
double dryrun_share(const struct evaluator *evaluator, const struct dryrun_place *place,
                    unsigned lane);

/*
 * Exits, see evaluate/exits.c: whether a block (or IR_NONE) ends by leaving the loop around it:
 * rare, once per entry of it; ...
 */
bool leaves_loop(const struct evaluator *evaluator, uint32_t block);

/* Whether anything in a block (or IR_NONE) jumps: `break`, `continue`, `return`; in_loops: of loops
 * within it, too; depth: 0. */
bool block_jumps(const struct ir_kernel *kernel, uint32_t block, bool in_loops, uint32_t depth);

/*
 * The share of an iteration's work-items that such a block takes, further than to behind the loop
 * around (0: no further), where the condition holds with some chance: what of all of them leave in
 * any iteration, evenly. Half do where nothing is known.
 */
double share_of_leaving(const struct evaluator *evaluator, uint32_t block, double chance);

/* ... which loops exits leave, whether memory has a say in it, and what such loops count; ... */
void exits_find(struct evaluator *evaluator);

/* ... the condition by which alone a loop ends that has none of its own, where the launch decides
 * about it before anything else is done in an iteration (IR_NONE: another loop); ... */
uint32_t exit_leading(const struct evaluator *evaluator, uint32_t statement);

/* ... and whether data decide for each lane of a warp, by the condition or by an exit. */
bool exit_is_by_lane(const struct evaluator *evaluator, uint32_t condition,
                     const struct evaluator_loop *loop);

/* Loops: see evaluate/loop.c. */
void evaluate_loop(struct evaluator *evaluator, uint32_t statement, float *weight,
                   float *warp_weight);
void evaluate_block(struct evaluator *evaluator, uint32_t block, float *weight, float *warp_weight);
/* Branches: see evaluate/branch.c. */
void evaluate_branch(struct evaluator *evaluator, const struct ir_statement *s, float *weight,
                     float *warp_weight);

/* Weights of the nested walk, a stack; NULL when it is full. */
float *arena_take(struct evaluator *evaluator, size_t count);

/* Accesses: see evaluate/access.c. */
void access_record(struct evaluator *evaluator, uint32_t access, const float *weight,
                   const float *warp_weight);
void access_finish(struct evaluator *evaluator);
/* Requires trips: fills halvings of an access, see evaluate/halving.c; and of those, the places of
 * `all` that so many lanes touch in the mean step, which they make together. */
void halving_find(struct evaluator *evaluator, uint32_t access);
double halving_width(const struct evaluation_access *access, double lanes, double all);
/* Requires address forms: what lanes touch of addresses that data move within bounds. */
void access_narrow(struct evaluator *evaluator);
enum { ACCESS_SUMS = 20 };

/* The hint for a line, or NULL. */
const struct launch_hint *hint_find(const struct launch *launch, bool is_branch, uint32_t line);
/* A walk came to the place of a hint (or of none: NULL). */
void hint_meet(struct evaluator *evaluator, const struct launch_hint *hint, bool is_needed);

/* Whether work-groups have the more or the less to do the later they come: see evaluate/slope.c. */
void slope_prepare(struct evaluator *evaluator);
void slope_add(struct evaluator *evaluator); /* the warps that were walked */
double slope_of(const struct evaluator_slope *slope);

#endif
