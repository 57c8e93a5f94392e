/* SPDX-License-Identifier: Apache-2.0 */
/* What the lanes of a warp touch at once: segments, lines, banks, and their shape. */
#include "model/evaluate/access.h"

#include <math.h>
#include <string.h>

#include "model/device/serialisation.h"

/* Rows of the sums per access; each but the range is weighted by warp executions. */
enum {
	SUM_WARPS,
	SUM_LANES,
	SUM_SEGMENTS,
	SUM_LINES, /* four */
	SUM_ADDRESSES = SUM_LINES + EVALUATE_LINES,
	SUM_PAGES,
	SUM_WAYS,
	SUM_UNIT,
	SUM_UNIFORM,
	SUM_UNKNOWN,
	SUM_CAME, /* sectors, lines, addresses */
	SUM_LOW = SUM_CAME + 3,
	SUM_HIGH,
	SUM_VISITS
};
_Static_assert((int)SUM_VISITS < (int)ACCESS_SUMS, "a row for each sum");

enum { UNIT_SEGMENT = EVALUATE_LINES, UNIT_PAGE, UNITS };
enum { PAGE_SHIFT = 12, CAME_LINE = 2 /* 128 bytes */ };
enum { VISITS_ALL = 48, VISITS_MASK = 15, BANKS_MAX = 128, TAG_BANKS_MAX = 16 };

/* Below this share of a warp's lanes others do not fill what they leave. */
#define RARE_SHARE 0.25F

static void sort(int64_t *v, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		int64_t x = v[i];
		unsigned j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* Distinct units of 1 << shift bytes under sorted accesses of `bytes` each. */
static double count_units(const int64_t *sorted, unsigned n, unsigned shift, int64_t bytes)
{
	int64_t last = INT64_MIN, count = 0;

	for (unsigned i = 0; i < n; i++) {
		int64_t first = sorted[i] >> shift, end = (sorted[i] + bytes - 1) >> shift;

		if (first <= last)
			first = last + 1;
		if (end >= first) {
			count += end - first + 1;
			last = end;
		}
	}
	return (double)count;
}

static unsigned shift_of(double bytes)
{
	unsigned shift = 2;

	while (shift < 12 && (double)(2u << shift) <= bytes * 1.25)
		shift++;
	return shift;
}

/*
 * Ways of the worst bank, by phases of as many lanes as the banks serve words:
 * distinct words of one bank are served one after another.
 */
static double count_ways(const int64_t *address, unsigned n, int64_t bytes, unsigned banks)
{
	unsigned words = bytes > 4 ? (unsigned)(bytes / 4) : 1;
	unsigned phase = words >= banks ? 1 : banks / words;
	double total = 0, phases = 0;

	if (banks <= 1 || n == 0)
		return 1;
	for (unsigned start = 0; start < n; start += phase, phases++) {
		unsigned end = start + phase < n ? start + phase : n;
		unsigned load[BANKS_MAX] = {0}, most = 1;
		int64_t seen[64];
		unsigned seen_count = 0;

		for (unsigned i = start; i < end && seen_count < 64; i++) {
			int64_t word = address[i] >> 2;
			bool is_new = true;

			for (unsigned j = 0; j < seen_count && is_new; j++)
				is_new = seen[j] != word;
			if (!is_new)
				continue;
			seen[seen_count++] = word;
			for (unsigned w = 0; w < words && w < banks; w++) {
				unsigned bank = (unsigned)((uint64_t)(word + w) % banks);

				load[bank]++;
				most = load[bank] > most ? load[bank] : most;
			}
		}
		total += most;
	}
	return phases > 0 ? total / phases : 1;
}

/*
 * Lines that the first level looks up at once, each in the part of its tags that the line's number
 * tells. Lanes in lines of their own, of banks of their own, take `lanes` / banks turns; a turn is
 * what one more lane in one bank takes. Such parts are told by bits: a power of two.
 */
static unsigned tag_banks(const struct device *device)
{
	double lanes = device_value(device, COEFFICIENT_WARP_ITEMS, 32);
	double vector = device_value(device, COEFFICIENT_LOAD_VECTOR, 0);
	double more = (device_value(device, COEFFICIENT_LOAD_GATHER, vector) - vector) * lanes;
	double way = device_value(device, COEFFICIENT_TRANSACTION, 0);

	if (!(way > 0) || !(more > 0))
		return 1;
	return (unsigned)fmin(TAG_BANKS_MAX, exp2(fmax(0, round(log2(lanes / (1 + more / way))))));
}

/*
 * The part of the tags that a line is in: of an H100, lines 1, 2 or 4 apart take all parts alike,
 * so that each bit of a line's number counts. Folded by as many bits as tell the parts.
 */
static unsigned tag_bank(int64_t line, unsigned banks)
{
	uint64_t rest = (uint64_t)line, bank = 0;

	for (; banks > 1 && rest > 0; rest /= banks)
		bank ^= rest % banks;
	return (unsigned)bank;
}

/*
 * Lines in the fullest part of the tags, of sorted addresses and of lanes at chance in `all` lines.
 */
static double count_lookups(const int64_t *sorted, unsigned known, int64_t bytes, double unknown,
                            double all, unsigned shift, unsigned banks)
{
	unsigned load[TAG_BANKS_MAX] = {0}, most = 0;
	int64_t last = INT64_MIN;

	for (unsigned i = 0; i < known; i++) {
		int64_t end = (sorted[i] + bytes - 1) >> shift, line = sorted[i] >> shift;

		for (line = line > last ? line : last + 1; line <= end; line++) {
			unsigned bank = tag_bank(line, banks);

			load[bank]++;
			most = load[bank] > most ? load[bank] : most;
		}
		last = end > last ? end : last;
	}
	if (!(unknown > 0))
		return most;
	/* lanes meet in lines; what is left of these to chance makes one part fuller than the mean
	 */
	unknown = all * -expm1(-unknown / all);
	return most + unknown / banks + sqrt(unknown / banks * (1 - unknown / all) * log(banks));
}

double evaluate_turns(const struct device *device, int64_t stride, double bytes, double lanes)
{
	double segment = device_value(device, COEFFICIENT_SEGMENT_BYTES, 32);
	int64_t address[EVALUATE_LANES_MAX], step = stride < 0 ? -stride : stride;
	unsigned count = (unsigned)fmin(fmax(lanes, 1), (double)(int)EVALUATE_LANES_MAX);

	for (unsigned i = 0; i < count; i++)
		address[i] = (int64_t)i * step;
	return fmax(1, count_lookups(address, count, (int64_t)bytes, 0, 1, shift_of(segment),
	                             tag_banks(device)));
}

/* Where the device keeps rows in tiles: the addresses there. False: it does not. */
static bool tile_addresses(const struct lanes *lanes, uint64_t pitch_bytes, int64_t *address,
                           unsigned count)
{
	double rows = device_value(lanes->question->device, COEFFICIENT_IMAGE_TILE_ROWS, 1);

	if (!(rows >= 2))
		return false;
	for (unsigned i = 0; i < count; i++)
		address[i] = image_tile_address(address[i], pitch_bytes, (unsigned)fmin(rows, 64));
	return true;
}

/* Turns of an atomic, of lanes whose addresses are known, sorted, and others at random. */
static double atomic_turns(const struct lanes *lanes, const struct ir_access *access,
                           const int64_t *sorted, unsigned known, unsigned unknown)
{
	const struct evaluation_access *result =
	        &lanes->question->sizes->accesses[access - lanes->kernel->accesses];
	double banks = device_value(lanes->question->device, COEFFICIENT_LOCAL_BANKS, 1);
	double all = result->object_bytes > 0 ? (double)result->object_bytes : 1e18;
	unsigned shift = device_atomic_shift(lanes->question->device);

	if (lanes->kernel->objects[access->object].space == SPACE_LOCAL) {
		banks = fmin(fmax(banks, 1), (double)(int)BANKS_MAX);
		return turns_of_banks(sorted, known, (unsigned)banks) +
		       (unknown > 0 ? turns_at_random(unknown, fmax(1, fmin(banks, all / 4))) : 0);
	}
	return turns_of_units(sorted, known, shift) +
	       turns_of_units_at_random(unknown, all, result->bytes, shift);
}

/* Units of 1 << shift bytes that an access at chance may be in. */
static double units_of(const struct evaluation_access *access, unsigned shift)
{
	return access->object_bytes > 0 ? (double)(access->object_bytes >> shift) + 1 : 1e18;
}

/* What the lanes of a warp touch at once. */
struct touch {
	double ways, addresses;
	double units[UNITS]; /* lines, then segments and pages */
	double low, high;    /* of the known addresses, if there are any */
	bool is_unit, is_uniform;
};

/*
 * Sorts the known addresses. A warp moves what is wider than a word by halves and quarters of its
 * lanes (`warp` of them), whichever of each are there.
 */
static struct touch measure(const struct lanes *lanes, const struct ir_access *access,
                            int64_t *address, unsigned known, unsigned active, unsigned warp)
{
	const struct evaluation_access *result =
	        &lanes->question->sizes->accesses[access - lanes->kernel->accesses];
	int64_t bytes = (int64_t)result->bytes;
	double segment = device_value(lanes->question->device, COEFFICIENT_SEGMENT_BYTES, 32);
	struct touch touch = {
	        .ways = 1, .is_unit = known == active && known > 1, .is_uniform = known == active};
	bool is_sorted = true, is_dense = true; /* each where the one before ends, or begins */
	unsigned unknown = active - known;

	for (unsigned i = 1; i < known; i++) {
		int64_t gap = address[i] - address[i - 1];

		touch.is_unit &= gap == bytes || gap == -bytes;
		touch.is_uniform &= gap == 0;
		is_sorted &= gap >= 0;
		is_dense &= gap == bytes || gap == 0;
	}
	if (access->kind != ACCESS_ATOMIC && !touch.is_uniform && !touch.is_unit) {
		double banks = device_value(lanes->question->device, COEFFICIENT_LOCAL_BANKS, 1);

		touch.ways = count_ways(
		        address, known, bytes,
		        banks >= 2 && banks <= (double)(int)BANKS_MAX ? (unsigned)banks : 1);

		/* lanes at chance: the fullest bank of n balls in n bins, about 3 for 32 */
		if (unknown > known && banks >= 2)
			touch.ways = 1 + log2((double)unknown + 1) * 0.5;
	}
	if (result->pitch_bytes > 0)
		is_sorted &= !tile_addresses(lanes, result->pitch_bytes, address, known);
	if (!is_sorted)
		sort(address, known);
	if (access->kind == ACCESS_ATOMIC) {
		touch.ways = atomic_turns(lanes, access, address, known, unknown);
	} else if (lanes->kernel->objects[access->object].space != SPACE_LOCAL) {
		touch.ways *= fmax(1, warp * (double)bytes / segment);
		if (!touch.is_uniform && !touch.is_unit)
			touch.ways =
			        fmax(touch.ways, count_lookups(address, known, bytes, unknown,
			                                       units_of(result, shift_of(segment)),
			                                       shift_of(segment),
			                                       tag_banks(lanes->question->device)));
	}
	for (unsigned line = 0; line < UNITS; line++) {
		unsigned shift = line < UNIT_SEGMENT    ? 5 + line
		                 : line == UNIT_SEGMENT ? shift_of(segment)
		                                        : PAGE_SHIFT;
		double count = known > 0 && is_dense
		                       ? (double)(((address[known - 1] + bytes - 1) >> shift) -
		                                  (address[0] >> shift) + 1)
		                       : count_units(address, known, shift, bytes);

		if (unknown > 0) {
			double all = units_of(result, shift);
			double touched = unknown * fmax(1, (double)(bytes >> shift));

			count += all * -expm1(-touched / all);
		}
		touch.units[line] = count;
	}
	/* neighbours that begin within a sector touch one more than a turn hands out, which goes on
	 * with those of the next load */
	if (touch.is_unit && access->kind == ACCESS_LOAD &&
	    (lanes->kernel->objects[access->object].space == SPACE_GLOBAL ||
	     lanes->kernel->objects[access->object].space == SPACE_CONSTANT))
		touch.ways = fmax(touch.ways, touch.units[0] * EVALUATE_LINE_BYTES(0) /
		                                      (double)(1u << shift_of(segment)));
	touch.addresses = known > 0 ? 1 : 0;
	for (unsigned i = 1; i < known; i++)
		touch.addresses += address[i] != address[i - 1];
	if (unknown > 0) {
		double all = result->object_bytes > 0
		                     ? fmax(1, (double)result->object_bytes /
		                                       (double)(bytes > 0 ? bytes : 1))
		                     : 1e18;

		touch.addresses += all * -expm1(-(double)unknown / all);
	}
	if (known > 0) {
		touch.low = (double)address[0];
		touch.high = (double)address[known - 1] + (double)bytes;
	}
	return touch;
}

/* What those lanes touch that are there at once. */
static void add_came(const struct touch *touch, double weight, double *sums)
{
	sums[SUM_WAYS] += weight * touch->ways;
	sums[SUM_CAME] += weight * touch->units[0];
	sums[SUM_CAME + 1] += weight * touch->units[CAME_LINE];
	sums[SUM_CAME + 2] += weight * touch->addresses;
}

/* `placed`: of the known addresses those that say how lanes lie and not where. */
static void add_touch(const struct touch *touch, double weight, unsigned known, unsigned placed,
                      unsigned active, double *sums)
{
	sums[SUM_WARPS] += weight;
	sums[SUM_LANES] += weight * active;
	sums[SUM_UNKNOWN] += weight * (active - known + placed);
	for (unsigned line = 0; line < EVALUATE_LINES; line++)
		sums[SUM_LINES + (int)line] += weight * touch->units[line];
	sums[SUM_SEGMENTS] += weight * touch->units[UNIT_SEGMENT];
	sums[SUM_PAGES] += weight * touch->units[UNIT_PAGE];
	sums[SUM_ADDRESSES] += weight * touch->addresses;
	if (touch->is_uniform)
		sums[SUM_UNIFORM] += weight;
	else if (touch->is_unit)
		sums[SUM_UNIT] += weight;
	if (known > 0 && placed == 0) {
		if (!(sums[SUM_LOW] < sums[SUM_HIGH])) {
			sums[SUM_LOW] = touch->low;
			sums[SUM_HIGH] = touch->high;
		}
		sums[SUM_LOW] = fmin(sums[SUM_LOW], touch->low);
		sums[SUM_HIGH] = fmax(sums[SUM_HIGH], touch->high);
	}
}

enum { COUNTED_DEPTH_MAX = 8 };

/*
 * Whether a number is the same for all lanes of a warp that come to a block, though nobody knows
 * it: counted by loops that data do not lead, or that go on for all lanes that are still in them.
 */
static bool is_counted_alike(const struct schedule *schedule, const struct loop_facts *facts,
                             uint32_t node, uint32_t block, unsigned depth)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_variable *variable;

	if (schedule->flags[node] & SCHEDULE_TAINTED)
		return false;
	if (depth >= COUNTED_DEPTH_MAX || !question_looks(schedule->question))
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_counted_alike(schedule, facts, kernel_operands(kernel, node)[i], block,
		                      depth + 1))
			return false;
	if (n->op != NODE_LOOP_VAR)
		return true;
	variable = kernel_variable(kernel, node);
	return (!facts[list_of(schedule->kernel, n->aux)].has_data_exit ||
	        kernel_is_within(kernel, block, n->aux)) &&
	       is_counted_alike(schedule, facts, variable->init, block, depth + 1);
}

/*
 * Where a GPU keeps a private array that is no register: the elements of a warp's lanes beside
 * each other, one row for each index. An index that nobody knows is any of them, unless all lanes
 * have the same one.
 */
static int64_t private_address(const struct evaluation_access *result, unsigned warp_items,
                               unsigned lane, int64_t address, bool is_any)
{
	int64_t unit = result->bytes > 1 ? (int64_t)result->bytes : 1;
	int64_t rows = (int64_t)result->object_bytes / unit;

	address = address / unit;
	if (is_any)
		address = (int64_t)(number_mix(lane + 1) % (uint64_t)(rows > 0 ? rows : 1));
	return (address * warp_items + lane % warp_items) * unit;
}

/* Lanes that are at an access, and what they touch; and the same of the warp before. */
struct visit {
	int64_t address[EVALUATE_LANES_MAX], before[EVALUATE_LANES_MAX];
	unsigned active, known, before_active, before_known, before_warp;
	struct touch touch;
};

/* Of no lanes; addresses as they come, since they are many. */
static void visit_init(struct visit *visit)
{
	visit->active = visit->known = 0;
	visit->before_active = visit->before_known = visit->before_warp = 0;
}

/* Many warps touch what the one before does. */
static void visit(const struct lanes *lanes, const struct ir_access *access, struct visit *visit,
                  unsigned warp)
{
	size_t bytes = visit->known * sizeof(*visit->address);

	if (visit->active == visit->before_active && visit->known == visit->before_known &&
	    warp == visit->before_warp && memcmp(visit->address, visit->before, bytes) == 0)
		return;
	memcpy(visit->before, visit->address, bytes);
	visit->before_active = visit->active;
	visit->before_known = visit->known;
	visit->before_warp = warp;
	visit->touch = measure(lanes, access, visit->address, visit->known, visit->active, warp);
}

/* Addresses beyond 2^60 are nobody's; keep the sums of units in range. */
static int64_t address_of(const struct ir_access *access, uint64_t element, uint64_t scale)
{
	return (int64_t)(element * scale + (uint64_t)access->offset_bytes) % ((int64_t)1 << 60);
}

void access_record(const struct lanes *lanes, const struct loop_facts *facts,
                   struct access_tally *tallies, uint32_t index, const float *weight,
                   const float *warp_weight)
{
	const struct ir_access *access = &lanes->kernel->accesses[index];
	double *sums = tallies[index].sums;
	uint64_t scale = access->scale_bytes;
	const int64_t *value = NULL;
	const uint8_t *known = NULL;

	struct visit all, part;
	bool is_lockstep = device_value(lanes->question->device, COEFFICIENT_WARP_ITEMS, 1) > 1.5;
	bool is_private =
	        is_lockstep && lanes->kernel->objects[access->object].space == SPACE_PRIVATE;
	int is_alike = -1; /* nobody has asked yet */

	sums[SUM_VISITS] += 1;
	if (sums[SUM_VISITS] > (double)(int)VISITS_ALL &&
	    ((uint64_t)sums[SUM_VISITS] & VISITS_MASK) != 0)
		return;
	if (lanes->kernel->objects[access->object].space == SPACE_IMAGE)
		scale = (uint64_t)lanes->question->sizes->accesses[index].bytes;
	if (lanes_has(lanes, access->index)) {
		value = lanes_value(lanes, access->index);
		known = lanes_known(lanes, access->index);
	}
	visit_init(&all);
	visit_init(&part);
	for (unsigned warp = 0; warp < lanes->sampled->warps; warp++) {
		unsigned first = warp * lanes->sampled->warp_items, placed = 0;
		double due = 0.5; /* lanes that chance has brought here, less those that came */
		double share = lanes->sampled->weight[warp] * (double)warp_weight[warp];

		if (!(warp_weight[warp] > 0))
			continue;
		all.active = all.known = part.active = part.known = 0;
		for (unsigned i = first; i < first + lanes->sampled->warp_items; i++) {
			bool is_known = access->index == IR_NONE || (known && known[i]);
			bool is_here = true;
			int64_t address;

			if (!(weight[i] > 0))
				continue;
			/* not all of a warp's lanes are here at once, as chance has it */
			if (is_lockstep && weight[i] < warp_weight[warp]) {
				due += (double)weight[i] / (double)warp_weight[warp];
				is_here = due >= 1;
				due -= is_here ? 1 : 0;
				if (!is_here && weight[i] < RARE_SHARE * warp_weight[warp])
					continue;
			}
			all.active++;
			part.active += is_here;
			if (!is_known && !is_private)
				continue;
			placed += known && known[i] == NUMBER_PLACE;
			address = address_of(
			        access,
			        access->index != IR_NONE && is_known ? (uint64_t)value[i] : 0,
			        scale);
			if (is_private && !is_known && is_alike < 0)
				is_alike = is_counted_alike(
				        lanes->schedule, facts, access->index,
				        lanes->kernel->summary->access_block[index], 0);
			if (is_private)
				address = private_address(&lanes->question->sizes->accesses[index],
				                          lanes->sampled->warp_items, i,
				                          address % ((int64_t)1 << 40),
				                          !is_known && is_alike == 0);
			all.address[all.known++] = address;
			if (is_here)
				part.address[part.known++] = address;
		}
		if (all.active == 0)
			continue;
		visit(lanes, access, &all, all.active);
		add_touch(&all.touch, share, all.known, placed, all.active, sums);
		if (meetings_count(&tallies[index].meetings) && placed == 0 &&
		    all.known == all.active) {
			sort(all.address, all.known);
			meet_add(&tallies[index].meetings, all.address, all.known);
		}
		if (part.active > 0 && part.active < all.active) {
			visit(lanes, access, &part, all.active);
			add_came(&part.touch, share, sums);
		} else {
			add_came(&all.touch, share, sums);
		}
	}
	lanes->budget->used += lanes->count * 4;
}

void access_finish(const struct ir_kernel *kernel, const struct access_tally *tallies,
                   struct evaluation *result)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const double *sums = tallies[i].sums;
		struct evaluation_access *access = &result->accesses[i];
		uint32_t block = kernel->summary->access_block[i];
		double warps = sums[SUM_WARPS];

		access->ways = 1;
		if (block < kernel->block_count) {
			access->executions = result->blocks[block].executions;
			access->warp_executions = result->blocks[block].warp_executions;
		}
		if (!(warps > 0))
			continue;
		meet_finish(&tallies[i].meetings, access);
		access->lanes = sums[SUM_LANES] / warps;
		access->segments = sums[SUM_SEGMENTS] / warps;
		access->pages = sums[SUM_PAGES] / warps;
		for (unsigned line = 0; line < EVALUATE_LINES; line++)
			access->lines[line] = sums[SUM_LINES + line] / warps;
		access->addresses = sums[SUM_ADDRESSES] / warps;
		access->came.sectors = sums[SUM_CAME] / warps;
		access->came.lines = sums[SUM_CAME + 1] / warps;
		access->came.addresses = sums[SUM_CAME + 2] / warps;
		access->ways = fmax(1, sums[SUM_WAYS] / warps);
		access->unit = sums[SUM_UNIT] / warps;
		access->uniform = sums[SUM_UNIFORM] / warps;
		access->unknown = sums[SUM_LANES] > 0 ? sums[SUM_UNKNOWN] / sums[SUM_LANES] : 0;
		access->low_bytes = sums[SUM_LOW];
		access->high_bytes = sums[SUM_HIGH];
	}
}

/*
 * `to[5 * group * size + place[lid]]`: what data add has to stay within the object wherever the
 * form is, so that no more than what the form leaves of it is there to be reached. Where it leaves
 * no second place conditions keep data within.
 */
static double reach_of(const struct evaluation_access *access)
{
	const struct affine *form = &access->address;
	double all = (double)access->object_bytes, room;
	int64_t low, high;

	if (!form->is_known || !form->is_random || form->is_rough || form->term_count == 0 ||
	    !affine_range(form, &low, &high))
		return 0;
	room = all - ((double)high - (double)low);
	return room >= 2 * access->bytes && room < all ? room : 0;
}

/* Bytes between the lanes of a warp by the form alone. */
static double warp_span(const struct question *question, const struct affine *form)
{
	double left = question->sizes->warp_items, items[3], span = 0;

	for (unsigned d = 0; d < 3; d++) { /* lanes go along the first dimension first */
		items[d] = fmax(1, fmin((double)question->launch->local[d], left));
		left = fmax(1, left / items[d]);
	}
	for (unsigned i = 0; i < form->term_count; i++) {
		const struct affine_term *term = &form->terms[i];

		if (term->base < AFFINE_GROUP)
			span += fabs((double)term->factor) *
			        floor((items[term->base % 3] - 1) / (double)term->divisor);
	}
	return span;
}

/* Units of so many bytes that lanes at random touch of `all`. */
static double units_within(double all, double unit, const struct evaluation_access *access)
{
	double units = all / unit + 1;

	if (access->halvings > 0)
		return halving_width(access, access->lanes, units);
	return units * -expm1(-access->lanes * fmax(1, access->bytes / unit) / units);
}

void access_narrow(const struct schedule *schedule, struct evaluation *result)
{
	const struct question *question = schedule->question;
	const struct ir_kernel *kernel = schedule->kernel;
	double segment = device_value(question->device, COEFFICIENT_SEGMENT_BYTES, 32);

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &result->accesses[i];
		unsigned space = kernel->objects[kernel->accesses[i].object].space;
		double all, turns;

		if ((space != SPACE_GLOBAL && space != SPACE_CONSTANT) ||
		    kernel->accesses[i].kind == ACCESS_ATOMIC)
			continue;
		halving_find(schedule, result, i);
		a->reach_bytes = reach_of(a);
		if (!(a->lanes > 0) ||
		    (!(a->halvings > 0) && (!(a->reach_bytes > 0) || a->unknown < 0.5)))
			continue;
		all = a->halvings > 0 ? (double)a->object_bytes
		                      : a->reach_bytes + warp_span(question, &a->address);
		for (unsigned line = 0; line < EVALUATE_LINES; line++)
			a->lines[line] = fmin(a->lines[line], units_within(all, 32u << line, a));
		a->segments = fmin(a->segments, units_within(all, segment, a));
		a->came.sectors = fmin(a->came.sectors, a->lines[0]);
		a->came.lines = fmin(a->came.lines, a->lines[CAME_LINE]);
		turns = fmax(a->lanes * a->bytes / segment,
		             count_lookups(NULL, 0, 0, a->segments, 1e18, shift_of(segment),
		                           tag_banks(question->device)));
		a->ways = fmax(1, fmin(a->ways, turns));
	}
}
