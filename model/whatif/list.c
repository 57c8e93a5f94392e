/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes a kernel could follow: each begins with a fact of its IR or of its evaluation. */
#include <math.h>
#include <stdio.h>

#include "model/passes/passes.h"
#include "model/whatif/list.h"
#include "model/whatif/several.h"
#include "model/whatif/shape.h"
#include "model/whatif/stage.h"

static const char *const words[] = {
#define X(name, word) word,
        WHAT_IF_TABLE(X)
#undef X
};

const char *what_if_word(enum what_if_kind kind)
{
	return words[kind];
}

static const char *name_of(const struct ir_kernel *kernel, const struct what_if *what_if)
{
	uint32_t place = what_if->place;

	switch ((enum what_if_kind)what_if->kind) {
	case WHAT_IF_NATIVE:
		return place < BUILTIN_COUNT ? builtin_name((enum builtin)place) : "/";
	case WHAT_IF_CONSTANT_ARG:
		return place < kernel->argument_count ? kernel->arguments[place].name : "";
	case WHAT_IF_TRANSPOSED:
	case WHAT_IF_ALIGNED:
	case WHAT_IF_PADDED:
	case WHAT_IF_PITCHED:
	case WHAT_IF_IN_CONSTANT:
	case WHAT_IF_IN_LOCAL:
	case WHAT_IF_RESERVED:
	case WHAT_IF_WINDOW:
	case WHAT_IF_IMAGE:
	case WHAT_IF_SKEWED:
	case WHAT_IF_NEAR:
	case WHAT_IF_DIRECT:
		return place < kernel->object_count ? kernel->objects[place].name : "";
	case WHAT_IF_TILED:
	case WHAT_IF_KEPT:
		return place < kernel->access_count
		               ? kernel->objects[kernel->accesses[place].object].name
		               : "";
	case WHAT_IF_VECTORISED:
		return place < VECTOR_OBSTACLE_COUNT
		               ? vector_obstacle_text((enum vector_obstacle)place)
		               : "";
	default:
		return "";
	}
}

void what_if_name(const struct ir_kernel *kernel, const struct what_if *what_if,
                  char name[IR_NAME_MAX])
{
	(void)snprintf(name, IR_NAME_MAX, "%s", name_of(kernel, what_if));
}

void list_add(const struct list *l, struct what_if what_if)
{
	struct prediction *p = l->prediction;

	for (uint32_t i = 0; i < p->what_if_count; i++)
		if (p->what_ifs[i].kind == what_if.kind && p->what_ifs[i].place == what_if.place)
			return;
	if (p->what_if_count < WHAT_IFS_MAX)
		p->what_ifs[p->what_if_count++] = what_if;
}

void list_change(const struct list *l, enum what_if_kind kind, bool is_sure, uint32_t place,
                 uint32_t line, double detail)
{
	list_add(l, (struct what_if){.kind = (uint8_t)kind,
	                             .is_sure = is_sure,
	                             .place = place,
	                             .line = line,
	                             .detail = detail});
}

static bool is_live(const struct list *l, uint32_t node)
{
	return l->kernel->summary->node_block[node] != IR_NONE;
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Of the program's own source; 0: it stands in a header, or nowhere. */
static uint32_t line_of(const struct ir_node *node)
{
	return node->place.file == 0 ? node->place.line : 0;
}

static void list_natives(const struct list *l)
{
	for (uint32_t i = 0; i < l->kernel->node_count; i++) {
		const struct ir_node *node = &l->kernel->nodes[i];
		uint32_t place = node->op == NODE_DIV ? BUILTIN_COUNT : node->aux;

		if ((node->op == NODE_DIV || node->op == NODE_CALL) && is_live(l, i) &&
		    place != BUILTIN_SINCOS_COS && builtin_native(place) != BUILTIN_COUNT &&
		    node_is_native_for(l->kernel, i, place))
			list_change(l, WHAT_IF_NATIVE, true, place, line_of(node), 0);
	}
}

/* The argument that an integer is, whatever it was converted to; IR_NONE: none. */
static uint32_t argument_of(const struct ir_kernel *kernel, uint32_t node)
{
	while (kernel->nodes[node].op == NODE_CONVERT && type_is_integer(kernel->nodes[node].type))
		node = kernel_operands(kernel, node)[0];
	return kernel->nodes[node].op == NODE_ARG && kernel->nodes[node].type.width == 1 &&
	                       type_is_integer(kernel->nodes[node].type)
	               ? kernel->nodes[node].aux
	               : IR_NONE;
}

static void list_divisors(const struct list *l)
{
	for (uint32_t i = 0; i < l->kernel->node_count; i++) {
		const struct ir_node *node = &l->kernel->nodes[i];
		uint32_t argument;

		if ((node->op != NODE_DIV && node->op != NODE_REM) || !is_live(l, i) ||
		    !type_is_integer(node->type) || node->type.width != 1)
			continue;
		argument = argument_of(l->kernel, kernel_operands(l->kernel, i)[1]);
		if (argument >= l->launch->argument_count)
			continue;
		int64_t value = l->launch->arguments[argument].value.integer[0];
		/* where it is a power of two, its logarithm will do as an argument */
		if (value > 0)
			list_change(l, WHAT_IF_CONSTANT_ARG, (value & (value - 1)) == 0, argument,
			            line_of(node), (double)value);
	}
}

/* ---- control ------------------------------------------------------------------------------- */

static void list_loops(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const double most_trips = 64, least_trips = 4;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_loop *loop = &summary->loops[i];
		const struct ir_statement *s = &l->kernel->statements[loop->statement];
		bool is_gpu = device_is_lockstep(l->device);
		bool is_short = loop->trip == TRIP_CONSTANT && (double)loop->trips <= most_trips;
		double trips = l->evaluation->loops[i].trips;
		/* where a compiler unrolls by itself, more loads are on their way */
		double times = is_gpu && loop->unroll > 1 && trips >= most_trips ? 16 : 4;
		bool is_unrolled = is_gpu ? loop->is_unrolled || (double)loop->unroll >= times
		                          : loop->is_unrolled_early;

		/* a hint stands, but for one that forbids it */
		if (s->unroll > 1 || is_unrolled || loop->is_closed || loop->is_retry ||
		    !(trips >= least_trips) || (!is_short && !is_gpu))
			continue;
		list_change(l, WHAT_IF_UNROLLED, false, loop->statement, s->line,
		            is_short ? 0 : times);
	}
}

static void list_branches(const struct list *l)
{
	const double apart = 1.25;

	for (uint32_t i = 0; device_is_lockstep(l->device) && i < l->kernel->statement_count; i++) {
		const struct ir_statement *s = &l->kernel->statements[i];

		if (s->kind != STATEMENT_BRANCH ||
		    !l->kernel->summary->node_is_integer_known[s->condition] ||
		    !node_is_scattered(l->kernel, s->condition, 0))
			continue;
		for (unsigned side = 0; side < 2; side++) {
			uint32_t block = side == 0 ? s->body : s->otherwise;
			const struct evaluation_block *of;

			if (block == IR_NONE)
				continue;
			of = &l->evaluation->blocks[block];
			if (of->warp_executions > 0 &&
			    of->warp_executions >
			            apart * branch_least(l->kernel, l->evaluation, i, block))
				list_change(l, WHAT_IF_CONVERGED, false, i, s->line,
				            of->executions / of->warp_executions);
		}
	}
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Whether all accesses to an object that are carried out have neighbours apart, or one place. */
static bool is_apart_everywhere(const struct list *l, uint32_t object)
{
	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		const struct evaluation_access *a = &l->evaluation->accesses[i];

		if (l->kernel->accesses[i].object == object && a->executions > 0 &&
		    !(a->uniform > 0.99) &&
		    !access_is_apart(l->kernel, l->device, l->evaluation, i))
			return false;
	}
	return true;
}

/* Whether neighbours along the second dimension lie beside each other. */
static bool is_beside_across(const struct evaluation_access *a)
{
	int64_t stride = access_stride(a, 1);

	return stride != 0 && fabs((double)stride) <= a->bytes;
}

static void list_strides(const struct list *l)
{
	const struct ir_kernel *kernel = l->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct evaluation_access *a = &l->evaluation->accesses[i];
		uint32_t line = kernel->accesses[i].line, block = kernel->summary->access_block[i];
		double stride = (double)access_stride(a, 0);
		struct affine unused;

		if (!access_is_apart(kernel, l->device, l->evaluation, i) || block == IR_NONE)
			continue;
		if (l->launch->dimensions > 1 && is_beside_across(a)) {
			list_change(l, WHAT_IF_EXCHANGED, true, 0, line, stride);
			if (l->launch->local[1] > 1 &&
			    kernel->summary->block_loop[block] == IR_NONE &&
			    !kernel_has_local(kernel))
				list_change(l, WHAT_IF_TILED, true, i, line, stride);
		} else if (is_apart_everywhere(l, kernel->accesses[i].object) &&
		           access_transpose(l->launch, a, access_stride(a, 0), &unused)) {
			list_change(l, WHAT_IF_TRANSPOSED, false, kernel->accesses[i].object, line,
			            stride);
		}
	}
}

/* Objects whose accesses all begin as far off a line's beginning: a stencil's differ. */
static void list_misaligned(const struct list *l)
{
	for (uint32_t object = 0; object < l->kernel->object_count; object++) {
		int64_t off = 0;
		uint32_t line = 0;
		bool is_same = true;

		for (uint32_t i = 0; is_same && i < l->kernel->access_count; i++) {
			const struct evaluation_access *a = &l->evaluation->accesses[i];
			int64_t rest;

			if (l->kernel->accesses[i].object != object || !(a->executions > 0))
				continue;
			rest = a->address.constant & (WHAT_IF_LINE_BYTES - 1);
			is_same = access_is_of_argument(l->kernel, l->evaluation, i) &&
			          access_is_affine(a) && a->unit > 0.99 &&
			          (line == 0 || rest == off);
			for (unsigned t = 0; t < a->address.term_count; t++)
				is_same &= a->address.terms[t].base == AFFINE_GLOBAL ||
				           a->address.terms[t].base == AFFINE_LOCAL ||
				           a->address.terms[t].factor % WHAT_IF_LINE_BYTES == 0;
			off = rest;
			line = l->kernel->accesses[i].line;
		}
		if (is_same && off != 0)
			list_change(l, WHAT_IF_ALIGNED, false, object, line, (double)off);
	}
}

static void list_staged(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const double least_trips = 8, alike = 1; /* a barrier is for all work-items */

	if (kernel_has_local(l->kernel) || summary->has_barrier)
		return;
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_loop *loop = &summary->loops[i];
		uint32_t body = l->kernel->statements[loop->statement].body, mask;

		if (loop->is_unrolled || loop->has_early_exit ||
		    !(l->evaluation->loops[i].trips >= least_trips) ||
		    l->evaluation->loops[i].most > l->evaluation->loops[i].trips + alike ||
		    l->evaluation->loops[i].is_assumed)
			continue;
		mask = stage_mask(l->kernel, l->launch, l->evaluation, body);
		if (mask != 0)
			list_change(l, WHAT_IF_STAGED, true, body,
			            l->kernel->statements[loop->statement].line, mask);
	}
}

/* Where neighbours are whole rows of banks apart, padded rows part them; where they are another
 * distance apart, pads behind each row of banks, or in each structure. */
static void list_conflicts(const struct list *l)
{
	const double apart = 1.5;
	const int64_t rows = 4 * (int64_t)device_value(l->device, COEFFICIENT_LOCAL_BANKS, 32);

	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		const struct evaluation_access *a = &l->evaluation->accesses[i];
		const struct ir_access *of = &l->kernel->accesses[i];

		struct several skew = {.way = SEVERAL_SKEW, .object = of->object};

		if (l->kernel->objects[of->object].space != SPACE_LOCAL ||
		    of->kind == ACCESS_ATOMIC || !(a->executions > 0) || !(a->ways > apart) ||
		    a->unknown > 0)
			continue;
		if (access_is_affine(a) && access_stride(a, 0) % rows == 0)
			list_change(l, WHAT_IF_PADDED, true, of->object, of->line, a->ways);
		else if (several_fits(l->kernel, l->launch, &skew))
			list_change(l, WHAT_IF_SKEWED,
			            several_has_structures(l->kernel, of->object), of->object,
			            of->line, a->ways);
	}
}

/* Whether a loop may go on by all work-items, a distance that no layout of data changes; or by
 * whole arrays of one element a work-item, which are rows of no matrix. */
static bool is_grid_stride(const struct list *l, int64_t pitch, double bytes)
{
	if (l->launch->dimensions == 1 && (double)pitch == bytes * (double)l->launch->global[0])
		return true;
	return kernel_sees_ndrange(l->kernel) &&
	       fmod((double)pitch, bytes * (double)l->launch->global[0]) == 0;
}

static void list_pitches(const struct list *l)
{
	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		const struct evaluation_access *a = &l->evaluation->accesses[i];
		int64_t pitch = access_pitch(a);

		if (access_is_of_argument(l->kernel, l->evaluation, i) && access_is_affine(a) &&
		    pitch > 0 && !is_grid_stride(l, pitch, a->bytes))
			list_change(l, WHAT_IF_PITCHED, false, l->kernel->accesses[i].object,
			            l->kernel->accesses[i].line, (double)pitch);
	}
}

/* Small buffers that are read only, by all work-items of a warp at one place. */
static void list_constants(const struct list *l)
{
	const uint64_t most_bytes = 64 << 10; /* CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE at the least */

	for (uint32_t i = 0; device_is_lockstep(l->device) && i < l->kernel->access_count; i++) {
		uint32_t object = l->kernel->accesses[i].object;
		bool is_fit = access_is_of_argument(l->kernel, l->evaluation, i);

		if (!is_fit || l->evaluation->accesses[i].object_bytes > most_bytes)
			continue;
		for (uint32_t k = 0; is_fit && k < l->kernel->access_count; k++)
			is_fit = l->kernel->accesses[k].object != object ||
			         (l->kernel->accesses[k].kind == ACCESS_LOAD &&
			          (l->evaluation->accesses[k].uniform > 0.99 ||
			           !(l->evaluation->accesses[k].executions > 0)));
		if (is_fit)
			list_change(l, WHAT_IF_IN_CONSTANT, true, object,
			            l->kernel->accesses[i].line,
			            (double)l->evaluation->accesses[i].object_bytes);
	}
}

/* Whether an object is used by accesses of one kind alone, which do not ask what they add to. */
static bool is_of_kind(const struct list *l, uint32_t object, uint8_t kind)
{
	for (uint32_t i = 0; i < l->kernel->access_count; i++)
		if (l->kernel->accesses[i].object == object &&
		    (l->kernel->accesses[i].kind != kind ||
		     (kind == ACCESS_ATOMIC && (l->kernel->summary->access_is_used[i] ||
		                                l->kernel->accesses[i].is_exchange))))
			return false;
	return true;
}

/* Small buffers that data say where to read, and small ones, or small parts of a group, that
 * work-items count in: a group uses them more often than it takes to bring them. A CPU's caches
 * hold what is read by themselves, but its cores wait for each other where they count. */
static void list_tables(const struct list *l)
{
	const double most_bytes = 16 << 10; /* of local memory, that groups still fit beside */
	const double times = 4;

	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		uint32_t object = l->kernel->accesses[i].object;
		const struct ir_object *of = &l->kernel->objects[object];
		uint8_t kind = l->kernel->accesses[i].kind;
		double all = (double)l->evaluation->accesses[i].object_bytes;
		double uses = 0, unknown = 0, bytes = 0;
		bool is_counted = kind == ACCESS_ATOMIC;

		if (of->argument == IR_NONE || kind == ACCESS_STORE ||
		    (of->space != SPACE_GLOBAL && of->space != SPACE_CONSTANT) ||
		    (!device_is_lockstep(l->device) && !is_counted) || !is_of_kind(l, object, kind))
			continue;
		for (uint32_t k = 0; k < l->kernel->access_count; k++) {
			const struct evaluation_access *a = &l->evaluation->accesses[k];

			if (l->kernel->accesses[k].object != object)
				continue;
			uses += a->executions * a->bytes;
			unknown += a->executions * a->bytes * a->unknown;
			bytes += is_counted && access_is_affine(a)
			                 ? access_group_bytes(l->launch, a)
			                 : all;
		}
		bytes = fmin(bytes, all);
		if (bytes >= 1 && bytes <= most_bytes && (is_counted || unknown > 0.5 * uses) &&
		    uses * (double)l->evaluation->group_items > times * bytes)
			list_change(l, WHAT_IF_IN_LOCAL, true, object, l->kernel->accesses[i].line,
			            bytes);
	}
}

/* Arrays of a work-item that registers may not hold: of a group, they fit into local memory. */
static void list_private(const struct list *l)
{
	const double most_bytes = 48 << 10; /* of a group, on any GPU */

	for (uint32_t i = 0; device_is_lockstep(l->device) && i < l->kernel->access_count; i++) {
		uint32_t object = l->kernel->accesses[i].object;
		const struct several several = {.way = SEVERAL_NEAR, .object = object};
		double bytes = (double)l->kernel->objects[object].size_bytes *
		               (double)l->evaluation->group_items;

		if (l->kernel->objects[object].space == SPACE_PRIVATE && bytes <= most_bytes &&
		    several_fits(l->kernel, l->launch, &several))
			list_change(l, WHAT_IF_NEAR, true, object, l->kernel->accesses[i].line,
			            bytes);
	}
}

/* Arrays in local memory that are larger than what a group uses of them. */
static void list_reserved(const struct list *l)
{
	const double spare = 0.75;

	for (uint32_t object = 0; device_is_lockstep(l->device) && object < l->kernel->object_count;
	     object++) {
		const struct ir_object *of = &l->kernel->objects[object];
		double needs = 0;
		double has = of->argument == IR_NONE || of->argument >= l->launch->argument_count
		                     ? (double)of->size_bytes
		                     : (double)l->launch->arguments[of->argument].size_bytes;
		uint32_t line = 0;

		if (of->space != SPACE_LOCAL)
			continue;
		for (uint32_t i = 0; needs < has && i < l->kernel->access_count; i++) {
			const struct evaluation_access *a = &l->evaluation->accesses[i];

			if (l->kernel->accesses[i].object != object || !(a->executions > 0))
				continue;
			needs = a->unknown > 0 || !(a->high_bytes > a->low_bytes)
			                ? has
			                : fmax(needs, a->high_bytes);
			line = line == 0 ? l->kernel->accesses[i].line : line;
		}
		if (line != 0 && needs < spare * has)
			list_change(l, WHAT_IF_RESERVED, false, object, line, ceil(needs));
	}
}

/* Buffers of which a group's work-items read overlapping parts, by places that the launch tells. */
static void list_windows(const struct list *l)
{
	const double most_bytes = 32 << 10, times = 4;

	if (kernel_has_local(l->kernel) || l->kernel->summary->has_barrier)
		return;
	for (uint32_t object = 0; object < l->kernel->object_count; object++) {
		double uses = 0,
		       bytes = object_group_bytes(l->kernel, l->launch, l->evaluation, object);
		uint32_t line = 0;

		if (!(bytes > 0) || bytes > most_bytes)
			continue;
		for (uint32_t i = 0; i < l->kernel->access_count; i++) {
			const struct evaluation_access *a = &l->evaluation->accesses[i];

			if (l->kernel->accesses[i].object != object || !(a->executions > 0))
				continue;
			uses += a->executions * a->bytes * (double)l->evaluation->group_items;
			line = line == 0 ? l->kernel->accesses[i].line : line;
		}
		if (uses > times * bytes)
			list_change(l, WHAT_IF_WINDOW, true, object, line, ceil(bytes));
	}
}

/* Loops through which the work-items of a warp go unequally often. */
static void list_unbalanced(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const double apart = 0.9;

	for (uint32_t i = 0; device_is_lockstep(l->device) && i < summary->loop_count; i++) {
		uint32_t id = summary->loops[i].statement;
		double share = loop_share(l->kernel, l->evaluation, id);

		if (share > 0 && share < apart && !summary->loops[i].is_unrolled)
			list_change(l, WHAT_IF_BALANCED, false, id, l->kernel->statements[id].line,
			            1 / share);
	}
}

/* Whether an access goes to one place while a loop runs. */
static bool is_at_one_place(const struct list *l, uint32_t access, uint32_t loop)
{
	const struct evaluation_access *a = &l->evaluation->accesses[access];
	uint32_t index = l->kernel->accesses[access].index, block;

	if (index == IR_NONE)
		return true;
	block = l->kernel->summary->node_block[index];
	if (!access_is_affine(a))
		return block != IR_NONE &&
		       !kernel_is_within(l->kernel, block,
		                         l->kernel->summary->loops[loop].statement);
	for (unsigned t = 0; t < a->address.term_count; t++)
		if (a->address.terms[t].base == AFFINE_LOOP + loop)
			return false;
	return true;
}

/* Whether an atomic only adds up: its old value is not looked at. */
static bool is_sum(const struct list *l, uint32_t access)
{
	const struct ir_access *of = &l->kernel->accesses[access];

	return of->kind == ACCESS_ATOMIC && !of->is_exchange &&
	       !l->kernel->summary->access_is_used[access];
}

/* Whether all accesses to an object within a loop go to one place while it runs. */
static bool is_kept_in_loop(const struct list *l, uint32_t object, uint32_t loop)
{
	uint32_t statement = l->kernel->summary->loops[loop].statement;

	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		uint32_t block = l->kernel->summary->access_block[i];

		if (l->kernel->accesses[i].object != object || block == IR_NONE ||
		    !kernel_is_within(l->kernel, block, statement))
			continue;
		if ((!access_is_of_argument(l->kernel, l->evaluation, i) && !is_sum(l, i)) ||
		    !is_at_one_place(l, i, loop))
			return false;
	}
	return true;
}

/* Stores to one place in each iteration of a loop: a variable holds what the last one is to store.
 */
static void list_kept(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;

	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		uint32_t block = summary->access_block[i];
		unsigned loops = 0;

		if (block == IR_NONE ||
		    !(is_sum(l, i) || (l->kernel->accesses[i].kind == ACCESS_STORE &&
		                       access_is_of_argument(l->kernel, l->evaluation, i))))
			continue;
		while (summary->block_loop[block] != IR_NONE &&
		       is_kept_in_loop(l, l->kernel->accesses[i].object,
		                       summary->block_loop[block])) {
			block = block_outside(l->kernel, block);
			loops++;
		}
		if (loops > 0)
			list_change(l, WHAT_IF_KEPT, true, i, l->kernel->accesses[i].line, loops);
	}
}

/* ---- the launch ---------------------------------------------------------------------------- */

static void list_groups(const struct list *l)
{
	/* 32 to 256 work-items; a CPU's core takes few as well, where there are not many */
	const unsigned least = device_is_lockstep(l->device) ? 5 : 2, most = 8;
	unsigned dimensions = l->launch->dimensions;

	if (!kernel_is_free_of_groups(l->kernel))
		return;
	for (unsigned all = least; all <= most; all++) {
		uint64_t items = (uint64_t)1 << all;

		if (l->device->max_group_items > 0 && items > l->device->max_group_items)
			break;
		for (unsigned across = 0; across <= (dimensions > 1 ? all / 2 : 0); across++) {
			uint64_t sizes[3] = {(uint64_t)1 << (all - across), (uint64_t)1 << across,
			                     1};
			bool is_fit = true;

			for (unsigned d = 0; d < 2; d++)
				is_fit &= l->launch->global[d] % sizes[d] == 0 &&
				          (l->device->max_item_sizes[d] == 0 ||
				           sizes[d] <= l->device->max_item_sizes[d]);
			if (is_fit &&
			    (sizes[0] != l->launch->local[0] || sizes[1] != l->launch->local[1]))
				list_change(l, WHAT_IF_GROUPED, false, (all - across) | across << 8,
				            0, (double)items);
		}
	}
}

void what_if_list(const struct ir_kernel *kernel, const struct device *device,
                  const struct launch *launch, const struct evaluation *evaluation,
                  struct prediction *prediction)
{
	const struct list l = {kernel, device, launch, evaluation, prediction};

	list_strides(&l);
	list_staged(&l);
	list_conflicts(&l);
	list_natives(&l);
	list_divisors(&l);
	list_branches(&l);
	list_misaligned(&l);
	list_pitches(&l);
	list_constants(&l);
	list_tables(&l);
	list_private(&l);
	list_kept(&l);
	list_loops(&l);
	list_reserved(&l);
	list_windows(&l);
	list_unbalanced(&l);
	list_several(&l);
	list_beside(&l);
	if (!device_is_lockstep(device))
		list_of_cpu(&l);
	list_images(&l);
	list_more_groups(&l);
	if (device_is_lockstep(device))
		list_of_gpu(&l);
	list_groups(&l);
}
