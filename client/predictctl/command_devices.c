/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl devices: the list, and what calibration found, for somebody who knows the device. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/pairs.h"
#include "client/predictctl/table.h"

static const double error_shown = 0.02; /* relative: above it a coefficient is marked */

static const predictd_coefficient *coefficient(const predictd_device *device, const char *name)
{
	for (size_t i = 0; i < device->coefficient_count; i++)
		if (strcmp(device->coefficients[i].name, name) == 0)
			return &device->coefficients[i];
	return NULL;
}

static json_t *texts_json(const char *const *texts, size_t count)
{
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(texts[i]));
	return list;
}

json_t *device_json(const predictd_device *device, bool verbose)
{
	static const char *const types[] = {"cpu", "gpu", "accelerator", "other"};
	json_t *object = json_pack(
	        "{sI ss ss ss ss ss ss ss ss ss sI sI sI sI sI sI}", "index",
	        (json_int_t)device->index, "key", device->key, "platform", device->platform,
	        "vendor", device->vendor, "name", device->name, "driver", device->driver, "version",
	        device->version, "uuid", device->uuid, "pci", device->pci, "type",
	        types[device->type], "compute_units", (json_int_t)device->compute_units,
	        "clock_mhz", (json_int_t)device->clock_mhz, "max_group_items",
	        (json_int_t)device->max_group_items, "local_bytes", (json_int_t)device->local_bytes,
	        "global_bytes", (json_int_t)device->global_bytes, "max_allocation_bytes",
	        (json_int_t)device->max_allocation_bytes);
	json_t *more = json_pack(
	        "{s[III] sb sb sb sb sb sb sb sb sI sf sI ss}", "max_item_sizes",
	        (json_int_t)device->max_item_sizes[0], (json_int_t)device->max_item_sizes[1],
	        (json_int_t)device->max_item_sizes[2], "has_double", device->has_double, "has_half",
	        device->has_half, "allows_uneven_groups", device->allows_uneven_groups, "present",
	        device->is_present, "calibrated", device->is_calibrated, "quick", device->is_quick,
	        "stale", device->is_stale, "busy", device->was_busy, "calibrated_at_s",
	        (json_int_t)device->calibrated_at_s, "duration_s", device->duration_s, "epoch",
	        (json_int_t)device->epoch, "failure", device->failure);
	(void)json_object_update(object, more);
	json_decref(more);
	json_object_set_new(object, "borrowed_nodes",
	                    json_integer((json_int_t)device->borrowed_nodes));
	more = json_pack("{ss sb so so}", "language", device->language, "language_assumed",
	                 device->is_language_assumed, "refused_options",
	                 texts_json(device->refused_options, device->refused_option_count),
	                 "doubts", texts_json(device->doubts, device->doubt_count));
	(void)json_object_update(object, more);
	json_decref(more);
	if (!verbose)
		return object;
	json_t *coefficients = json_object();
	for (size_t i = 0; i < device->coefficient_count; i++) {
		const predictd_coefficient *one = &device->coefficients[i];
		json_object_set_new(coefficients, one->name,
		                    json_pack("{so so}", "value", json_finite(one->value),
		                              "standard_error", json_finite(one->standard_error)));
	}
	json_object_set_new(object, "coefficients", coefficients);
	return object;
}

static void state_text(const predictd_device *device, char text[96])
{
	char when[32] = "";
	time_t at = (time_t)device->calibrated_at_s;
	struct tm broken;
	if (localtime_r(&at, &broken) != NULL)
		(void)strftime(when, sizeof when, "%Y-%m-%d %H:%M", &broken);
	if (!device->is_calibrated)
		(void)snprintf(text, 96, "not calibrated");
	else if (device->borrowed_nodes > 0)
		(void)snprintf(text, 96, "borrowed from %u node%s%s", device->borrowed_nodes,
		               device->borrowed_nodes == 1 ? "" : "s",
		               device->is_stale ? ", stale" : "");
	else
		(void)snprintf(text, 96, "calibrated %s%s%s%s", when,
		               device->is_quick ? ", quick" : "", device->is_stale ? ", stale" : "",
		               device->was_busy ? ", busy" : "");
	if (!device->is_present)
		(void)strncat(text, ", away", 95 - strlen(text));
}

/* ---- verbose ------------------------------------------------------------------------------- */

enum shown { SHOWN_TIME, SHOWN_BYTES, SHOWN_BYTES_PER_S, SHOWN_NUMBER };

/* The value with its unit. */
static void number_text(const predictd_coefficient *one, enum shown shown, char text[TEXT_MAX])
{
	if (shown == SHOWN_TIME)
		format_time(text, one->value);
	else if (shown == SHOWN_BYTES)
		format_bytes(text, one->value);
	else if (shown == SHOWN_BYTES_PER_S)
		format_rate(text, one->value, "B/s");
	else
		format_number(text, one->value, 3);
}

/* Its standard error where that is worth a look, else "". */
static void error_text(const predictd_coefficient *one, char text[TEXT_MAX])
{
	text[0] = '\0';
	if (one->standard_error > error_shown)
		(void)snprintf(text, TEXT_MAX, "+-%.0f %%", fmin(999, 100 * one->standard_error));
}

/* Both in one cell. */
static void value_text(const predictd_coefficient *one, enum shown shown, char text[TEXT_MAX])
{
	char number[TEXT_MAX], error[TEXT_MAX];
	if (one == NULL) {
		(void)snprintf(text, TEXT_MAX, "-");
		return;
	}
	number_text(one, shown, number);
	error_text(one, error);
	(void)snprintf(text, TEXT_MAX, "%.28s%s%.12s%s", number, error[0] != '\0' ? " (" : "",
	               error, error[0] != '\0' ? ")" : "");
}

/* Rows of a group; the last column is filled by the name's unit. */
struct shown_row {
	const char *name, *what;
};

static enum shown unit_of(const char *name)
{
	const char *column = strrchr(name, '.');
	column = column != NULL ? column + 1 : name;
	if (strcmp(column, "bandwidth_bytes_per_s") == 0)
		return SHOWN_BYTES_PER_S;
	if (strcmp(column, "time_s") == 0 || strcmp(column, "latency_s") == 0)
		return SHOWN_TIME;
	if (strcmp(column, "segment_bytes") == 0 || strcmp(column, "granule_bytes") == 0)
		return SHOWN_BYTES;
	return SHOWN_NUMBER;
}

static void group_print(const predictd_device *device, const char *title,
                        const struct shown_row *rows)
{
	struct table *table = table_new("lrl");
	size_t shown = 0;
	for (; rows->name != NULL; rows++) {
		const predictd_coefficient *one = coefficient(device, rows->name);
		char text[TEXT_MAX], error[TEXT_MAX] = "";
		if (one == NULL)
			continue;
		number_text(one, unit_of(rows->name), text);
		error_text(one, error);
		table_cell(table, "%s", rows->what);
		table_cell(table, "%s", text);
		table_colored(table, color_bad(), error);
		shown++;
	}
	if (shown > 0) {
		(void)printf("\n  %s\n", title);
		table_print(table, "    ", stdout);
	}
	table_free(table);
}

static const struct shown_row launch_rows[] = {
        {"launch.enqueue.time_s", "enqueue to START"},
        {"launch.base.time_s", "empty kernel, START to END"},
        {"launch.group.time_s", "each work-group"},
        {"launch.item.time_s", "each work-item"},
        {"launch.idle_10us.enqueue.time_s", "enqueue to START, after 10 us without work"},
        {"launch.idle_10us.base.time_s", "empty kernel, after 10 us"},
        {"launch.idle_10us.join.time_s", "on every unit beyond that, after 10 us"},
        {"launch.idle_10us.spread.time_s", "until it runs on every unit, after 10 us"},
        {"launch.idle_1ms.enqueue.time_s", "enqueue to START, after 1 ms without work"},
        {"launch.idle_1ms.base.time_s", "empty kernel, after 1 ms"},
        {"launch.idle_1ms.join.time_s", "on every unit beyond that, after 1 ms"},
        {"launch.idle_1ms.spread.time_s", "until it runs on every unit, after 1 ms"},
        {"launch.idle_100ms.enqueue.time_s", "enqueue to START, after 100 ms without work"},
        {"launch.idle_100ms.base.time_s", "empty kernel, after 100 ms"},
        {"launch.idle_100ms.join.time_s", "on every unit beyond that, after 100 ms"},
        {"launch.idle_100ms.spread.time_s", "until it runs on every unit, after 100 ms"},
        {NULL, NULL}};
static const struct shown_row execution_rows[] = {
        {"exec.units", "work-groups at the same time"},
        {"exec.unit_items", "work-items a unit holds"},
        {"exec.warp_items", "work-items in lockstep (1: none)"},
        {"exec.loop.time_s", "overhead of a loop iteration"},
        {"exec.mispredict.time_s", "a branch guessed wrong"},
        {"exec.beside.vector.share", "of float adds, beside as long a row of products, in vectors"},
        {"exec.beside.scalar.share", "the same, not vectorised"},
        {"exec.latency.float.time_s", "latency of a float add"},
        {"exec.spread.time_s", "until a launch runs on every unit"},
        {"exec.join.time_s", "a launch on every unit, beyond one on a single one"},
        {"exec.handout.time_s", "a unit asks for more work-groups"},
        {"exec.window_operations", "operations that a unit has under way at once"},
        {"exec.ahead_operations", "operations begun behind a read of memory that a unit waits for"},
        {"exec.latency.int.time_s", "latency of an int add"},
        {"exec.latency.mul.time_s", "latency of a float multiplication"},
        {"exec.latency.compare.time_s", "latency of a comparison"},
        {"exec.latency.special.time_s", "latency of a native root"},
        {"exec.latency.loop.time_s", "latency of a loop's iteration"},
        {NULL, NULL}};
static const struct shown_row access_rows[] = {
        {"access.load.vector.time_s", "float load, unit stride"},
        {"access.load.scalar.time_s", "float load, not vectorised"},
        {"access.load.gather.time_s", "float load, lanes spread"},
        {"access.store.vector.time_s", "float store, unit stride"},
        {"access.store.scalar.time_s", "float store, not vectorised"},
        {"access.store.scatter.time_s", "float store, lanes spread"},
        {"access.store.sector.time_s", "float store, lanes 32 bytes apart"},
        {"access.transaction.time_s", "one more segment of a warp's access"},
        {"access.segment_bytes", "segment of a warp's access"},
        {"memory.granule_bytes", "a random read moves from memory"},
        {"memory.pages", "pages whose addresses a core keeps"},
        {"memory.page.time_s", "access to any other page"},
        {NULL, NULL}};
static const struct shown_row local_rows[] = {
        {"local.load.time_s", "load"},
        {"local.store.time_s", "store"},
        {"local.conflict.time_s", "each further way of a bank conflict"},
        {"local.banks", "banks (1: none seen)"},
        {"local.latency_s", "latency of a load"},
        {"barrier.latency_s", "latency of a barrier"},
        {"barrier.group.time_s", "barrier, a work-group"},
        {"barrier.item.time_s", "barrier, a work-item"},
        {NULL, NULL}};
static const struct shown_row atomic_rows[] = {
        {"atomic.global.same.time_s", "global, one address"},
        {"atomic.global.known.time_s", "global, one known to the compiler"},
        {"atomic.global.neighbours_32.time_s", "global, 32 neighbours"},
        {"atomic.global.neighbours_256.time_s", "global, 256 neighbours"},
        {"atomic.global.neighbours_4096.time_s", "global, 4096 neighbours"},
        {"atomic.global.spread.time_s", "global, an address each"},
        {"atomic.global.random_64.time_s", "global, at random on 64 lines"},
        {"atomic.global.random_512.time_s", "global, on 512 lines"},
        {"atomic.global.random_4k.time_s", "global, on 4096 lines"},
        {"atomic.global.random_64k.time_s", "global, on 65536 lines"},
        {"atomic.global.random_512k.time_s", "global, on 524288 lines"},
        {"atomic.global.random_4m.time_s", "global, on 4194304 lines"},
        {"atomic.local.same.time_s", "local, one address"},
        {"atomic.local.known.time_s", "local, one known to the compiler"},
        {"atomic.local.spread.time_s", "local, an address each"},
        {NULL, NULL}};
static const struct shown_row transfer_rows[] = {
        {"transfer.h2d.latency_s", "to the device, fixed"},
        {"transfer.h2d.bandwidth_bytes_per_s", "to the device"},
        {"transfer.d2h.latency_s", "from the device, fixed"},
        {"transfer.d2h.bandwidth_bytes_per_s", "from the device"},
        {"transfer.h2d.far.bandwidth_bytes_per_s", "to the device, of no cache"},
        {"transfer.d2h.far.bandwidth_bytes_per_s", "from the device, of no cache"},
        {"transfer.near_bytes", "what the host's caches hold"},
        {"transfer.pinned.h2d.latency_s", "to the device from pinned memory, fixed"},
        {"transfer.pinned.h2d.bandwidth_bytes_per_s", "to the device from pinned memory"},
        {"transfer.pinned.d2h.latency_s", "from the device to pinned memory, fixed"},
        {"transfer.pinned.d2h.bandwidth_bytes_per_s", "from the device to pinned memory"},
        {"transfer.pinned.h2d.far.bandwidth_bytes_per_s", "to it from pinned memory, of no cache"},
        {"transfer.pinned.d2h.far.bandwidth_bytes_per_s", "from it to pinned memory, of no cache"},
        {NULL, NULL}};
static const struct shown_row paper_rows[] = {
        {"paper.execution_units", "n_XU, execution units (equation 4)"},
        {"paper.base.fixed.time_s", "t_Base, fixed"},
        {"paper.base.item.time_s", "t_Base, a work-item"},
        {"paper.access.constant.time_s", "constant read"},
        {"paper.access.interval.time_s", "interval read"},
        {"paper.access.coalesced.time_s", "coalesced read"},
        {"paper.access.repeated.time_s", "multiple identical read"},
        {"paper.access.uncoalesced.time_s", "uncoalesced read"},
        {"paper.access.write.time_s", "write"},
        {"paper.access.local.time_s", "local access"},
        {"paper.access.uncached.time_s", "any global access (uncached model)"},
        {NULL, NULL}};
static const struct shown_row beside_rows[] = {
        {"calibration.others.share", "share of the processors that others had, in the mean"},
        {NULL, NULL}};
static const struct shown_row shape_rows[] = {
        {"shape.norm", "exponent of the soft maximum"},
        {"interval.log_sd", "standard deviation of ln(measured / predicted)"},
        {"interval.control.log_sd", "with loops, barriers or atomics"},
        {NULL, NULL}};

static void memory_print(const predictd_device *device)
{
	static const char *const levels[] = {"l1", "l2", "l3", "l4", "dram"};
	static const char *const names[] = {"L1 cache", "L2 cache", "L3 cache", "L4 cache",
	                                    "memory"};
	static const struct {
		const char *column;
		enum shown shown;
	} columns[] = {{"capacity_bytes", SHOWN_BYTES},
	               {"instances", SHOWN_NUMBER},
	               {"line_bytes", SHOWN_BYTES},
	               {"read_bytes_per_s", SHOWN_BYTES_PER_S},
	               {"write_bytes_per_s", SHOWN_BYTES_PER_S},
	               {"gather_lines_per_s", SHOWN_NUMBER},
	               {"scatter_lines_per_s", SHOWN_NUMBER},
	               {"unstreamed_lines_per_s", SHOWN_NUMBER},
	               {"latency_s", SHOWN_TIME},
	               {"way_bytes", SHOWN_BYTES},
	               {"walk_read_lines_per_s", SHOWN_NUMBER},
	               {"walk_write_lines_per_s", SHOWN_NUMBER}};
	enum {
		COLUMNS = sizeof columns / sizeof *columns,
		GATHER = 5,
		SCATTER = 6,
		UNSTREAMED = 7,
		WALK_READ = 10,
		WALK_WRITE = 11
	};
	struct table *table = table_new("lrrrrrrrrrrrr");
	static const char *const heads[] = {
	        "level",     "capacity", "instances",       "line",    "read", "write",
	        "gather",    "scatter",  "gather in order", "latency", "way",  "walk read",
	        "walk write"};
	for (size_t i = 0; i < COLUMNS + 1; i++)
		table_cell(table, "%s", heads[i]);
	size_t shown = 0;
	for (size_t i = 0; i < 5; i++) {
		const predictd_coefficient *found[COLUMNS];
		size_t known = 0;
		for (size_t j = 0; j < COLUMNS; j++) {
			char name[64];
			(void)snprintf(name, sizeof name, "memory.%s.%s", levels[i],
			               columns[j].column);
			found[j] = coefficient(device, name);
			known += found[j] != NULL;
		}
		if (known == 0)
			continue;
		shown++;
		table_cell(table, "%s", names[i]);
		for (size_t j = 0; j < COLUMNS; j++) {
			char text[TEXT_MAX];
			value_text(found[j], columns[j].shown, text);
			if ((j == GATHER || j == SCATTER || j == UNSTREAMED || j == WALK_READ ||
			     j == WALK_WRITE) &&
			    found[j] != NULL)
				format_rate(text, found[j]->value, "lines/s");
			bool is_rough = found[j] != NULL && found[j]->standard_error > error_shown;
			table_colored(table, is_rough ? color_bad() : "", text);
		}
	}
	if (shown > 0) {
		(void)printf("\n  memory hierarchy, found by footprint\n");
		table_print(table, "    ", stdout);
	}
	table_free(table);
}

/* "<family>.<type>.<class>.time_s" -> its middle; false for other names. */
static bool op_class(const char *name, const char *family, char class[32])
{
	char prefix[16], type[16];
	int used = 0;
	(void)snprintf(prefix, sizeof prefix, "%s.", family);
	size_t length = strlen(prefix);
	if (strncmp(name, prefix, length) != 0)
		return false;
	return sscanf(name + length, "%15[^.].%31[^.].time_s%n", type, class, &used) == 2 &&
	       used > 0 && name[length + (size_t)used] == '\0';
}

/* Rates of operations, or how long each makes another one wait. */
static void ops_print(const predictd_device *device, const char *family, bool is_rate,
                      const char *title)
{
	static const char *const types[] = {"int", "long", "half", "float", "double"};
	enum { CLASSES_MAX = 64 };
	char classes[CLASSES_MAX][32];
	size_t count = 0;
	for (size_t i = 0; i < device->coefficient_count && count < CLASSES_MAX; i++) {
		size_t j = 0;
		if (!op_class(device->coefficients[i].name, family, classes[count]))
			continue;
		while (strcmp(classes[j], classes[count]) != 0)
			j++;
		count += j == count;
	}
	if (count == 0)
		return;
	struct table *table = table_new("lrrrrr");
	table_cell(table, "%s", is_rate ? "Gop/s" : "time");
	for (size_t i = 0; i < 5; i++)
		table_cell(table, "%s", types[i]);
	for (size_t i = 0; i < count; i++) {
		table_cell(table, "%s", classes[i]);
		for (size_t j = 0; j < 5; j++) {
			char name[128], text[TEXT_MAX], number[TEXT_MAX];
			(void)snprintf(name, sizeof name, "%s.%s.%.31s.time_s", family, types[j],
			               classes[i]);
			const predictd_coefficient *one = coefficient(device, name);
			if (one == NULL || !(one->value > 0)) {
				table_cell(table, "%s", one == NULL ? "-" : "free");
				continue;
			}
			if (is_rate)
				format_number(number, 1e-9 / one->value, 3);
			else
				format_time(number, one->value);
			bool is_rough = one->standard_error > error_shown;
			(void)snprintf(text, sizeof text, is_rough ? "%.20s (+-%.0f %%)" : "%.20s",
			               number, fmin(999, 100 * one->standard_error));
			table_colored(table, is_rough ? color_bad() : "", text);
		}
	}
	(void)printf("\n  %s\n", title);
	table_print(table, "    ", stdout);
	table_free(table);
}

static void paper_ops_print(const predictd_device *device)
{
	static const char *const types[] = {"int", "long", "half", "float", "double"};
	static const char *const ops[] = {"add", "mul", "div", "mod"};
	static const char *const columns[] = {"c_s", "a", "b", "k", "a2", "k2", "sat"};
	struct table *table = table_new("lrrrrrrr");
	size_t shown = 0;
	table_cell(table, "operation");
	for (size_t i = 0; i < 7; i++)
		table_cell(table, "%s", i == 0 ? "c" : columns[i]);
	for (size_t i = 0; i < 20; i++) {
		const predictd_coefficient *found[7];
		size_t known = 0;
		for (size_t j = 0; j < 7; j++) {
			char name[64];
			(void)snprintf(name, sizeof name, "paper.op.%s.%s.%s", types[i / 4],
			               ops[i % 4], columns[j]);
			found[j] = coefficient(device, name);
			known += found[j] != NULL;
		}
		if (known == 0)
			continue;
		shown++;
		table_cell(table, "%s %s", types[i / 4], ops[i % 4]);
		for (size_t j = 0; j < 7; j++) {
			char text[TEXT_MAX];
			if (found[j] == NULL)
				(void)snprintf(text, sizeof text, "-");
			else if (j == 0)
				format_time(text, found[j]->value);
			else
				format_number(text, found[j]->value, 3);
			table_cell(table, "%s", text);
		}
	}
	if (shown > 0) {
		(void)printf("\n  the paper's c and W (equation 5)\n");
		table_print(table, "    ", stdout);
	}
	table_free(table);
}

/* Families that have tables of their own. */
static bool is_tabled(const char *name)
{
	static const char *const prefixes[] = {"op.",        "chain.",      "paper.op.",
	                                       "memory.l1.", "memory.l2.",  "memory.l3.",
	                                       "memory.l4.", "memory.dram."};
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* What no group above knows, by its name: a newer daemon's coefficients. */
static void others_print(const predictd_device *device)
{
	static const struct shown_row *const groups[] = {launch_rows, execution_rows, access_rows,
	                                                 local_rows,  atomic_rows,    transfer_rows,
	                                                 paper_rows,  shape_rows,     beside_rows};
	struct shown_row others[64] = {{NULL, NULL}};
	size_t count = 0;
	for (size_t i = 0; i < device->coefficient_count && count < 63; i++) {
		const char *name = device->coefficients[i].name;
		bool is_shown = is_tabled(name) || strcmp(name, "memory.levels") == 0;
		for (size_t j = 0; j < sizeof groups / sizeof groups[0]; j++)
			for (const struct shown_row *row = groups[j]; row->name != NULL; row++)
				is_shown |= strcmp(row->name, name) == 0;
		if (!is_shown)
			others[count++] = (struct shown_row){name, name};
	}
	group_print(device, "others", others);
}

void doubts_print(const predictd_device *device, const char *indentation)
{
	char index[16] = "";
	if (indentation[0] == '\0')
		(void)snprintf(index, sizeof index, "%u: ", device->index);
	for (size_t i = 0; i < device->doubt_count; i++)
		(void)printf("%s%s%sdoubted: %s%s\n", indentation, index, color_bad(),
		             device->doubts[i], color_end());
}

static void language_print(const predictd_device *device)
{
	enum { COLUMNS = 100 };
	size_t column = COLUMNS;
	if (device->language[0] == '\0')
		return;
	(void)printf("  language: %s%s\n", device->language,
	             device->is_language_assumed && device->is_present ? ": calibrate to ask" : "");
	for (size_t i = 0; i < device->refused_option_count; i++) {
		size_t length = strlen(device->refused_options[i]) + 1;
		if (column + length > COLUMNS) {
			(void)fputs(i == 0 ? "  refused options:" : "\n                  ", stdout);
			column = 18;
		}
		(void)printf(" %s", device->refused_options[i]);
		column += length;
	}
	if (device->refused_option_count > 0)
		(void)printf("\n");
}

/* The description of one device for people: limits and calibration, grouped. */
static void device_describe(const predictd_device *device)
{
	char text[TEXT_MAX], local[TEXT_MAX], global[TEXT_MAX], state[96];
	state_text(device, state);
	(void)printf("%u: %s\n  %s\n", device->index, device->name, device->key);
	(void)printf("  %s, %s, driver %s, %s%s%s%s%s\n", device->platform, device->vendor,
	             device->driver, device->version, device->uuid[0] != '\0' ? ", uuid " : "",
	             device->uuid, device->pci[0] != '\0' ? ", pci " : "", device->pci);
	format_bytes(local, (double)device->local_bytes);
	format_bytes(global, (double)device->global_bytes);
	format_bytes(text, (double)device->max_allocation_bytes);
	(void)printf("  %u compute units at %u MHz, %s, %s local memory, allocations up to %s\n",
	             device->compute_units, device->clock_mhz, global, local, text);
	format_sizes(text, device->max_item_sizes, 3);
	(void)printf("  work-groups up to %llu (%s), %s%s%s\n",
	             (unsigned long long)device->max_group_items, text,
	             device->has_double ? "double" : "no double", device->has_half ? ", half" : "",
	             device->allows_uneven_groups ? ", uneven work-groups" : "");
	(void)printf("  %s", state);
	if (device->is_calibrated)
		(void)printf(", in %.1f s, epoch %llu", device->duration_s,
		             (unsigned long long)device->epoch);
	(void)printf("\n");
	language_print(device);
	doubts_print(device, "  ");
	if (device->failure[0] != '\0')
		(void)printf("  %s%s%s\n", color_bad(), device->failure, color_end());
	if (device->coefficient_count == 0)
		return;
	group_print(device, "while it was calibrated", beside_rows);
	group_print(device, "launch", launch_rows);
	memory_print(device);
	group_print(device, "accesses that hit the first level, of the whole device", access_rows);
	group_print(device, "execution", execution_rows);
	ops_print(device, "op.vector", true, "arithmetic, of the whole device, straight-line code");
	ops_print(device, "op.scalar", true,
	          device->type == PREDICTD_GPU ? "arithmetic, of one warp that is alone"
	                                       : "arithmetic, of the whole device, in loops");
	ops_print(device, "chain", false, "what one makes another wait that needs its result");
	group_print(device, "local memory and barriers, of the whole device", local_rows);
	group_print(device, "atomic add, of the whole device", atomic_rows);
	group_print(device, "transfers", transfer_rows);
	group_print(device, "shape of the default model", shape_rows);
	others_print(device);
	group_print(device, "the paper's model", paper_rows);
	paper_ops_print(device);
}

static void list_print(const predictd_devices *devices)
{
	struct table *table = table_new("rlllrll");
	static const char *const heads[] = {"#",     "name",  "type", "platform",
	                                    "units", "state", "key"};
	static const char *const types[] = {"CPU", "GPU", "accelerator", "other"};
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < devices->count; i++) {
		const predictd_device *device = &devices->devices[i];
		char state[96];
		state_text(device, state);
		table_cell(table, "%u", device->index);
		table_cell(table, "%s", device->name);
		table_cell(table, "%s", types[device->type]);
		table_cell(table, "%s", device->platform);
		table_cell(table, "%u", device->compute_units);
		table_colored(table,
		              device->failure[0] != '\0'                   ? color_bad()
		              : device->is_calibrated && !device->is_stale ? color_good()
		                                                           : "",
		              device->failure[0] != '\0' ? device->failure : state);
		table_cell(table, "%s", device->key);
	}
	table_print(table, "", stdout);
	table_free(table);
	for (size_t i = 0; i < devices->count; i++)
		doubts_print(&devices->devices[i], "");
}

enum exit_code command_devices(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_devices *devices = NULL;
	struct pairs pairs = {0};
	bool known;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status status = predictd_list_devices(connection, options->verbose, &devices);
	if (status != PREDICTD_OK) {
		code = complain_of("devices", status);
		goto out;
	}
	known = pairs_list(&pairs, connection, devices, PAIRS_OF_KNOWN);
	if (!known)
		warn_of("devices", predictd_error_text());
	if (options->json) {
		json_t *list = json_array();
		for (size_t i = 0; i < devices->count; i++)
			json_array_append_new(list,
			                      device_json(&devices->devices[i], options->verbose));
		print_json(json_pack("{so so}", "devices", list, "pairs", pairs_json(&pairs)));
	} else if (devices->count == 0) {
		(void)puts("no OpenCL device; `predictctl doctor` says why");
	} else if (options->verbose) {
		for (size_t i = 0; i < devices->count; i++) {
			(void)fputs(i > 0 ? "\n" : "", stdout);
			device_describe(&devices->devices[i]);
		}
	} else {
		list_print(devices);
		pairs_tell(&pairs, stdout);
	}
out:
	pairs_deinit(&pairs);
	predictd_devices_free(devices);
	predictd_close(connection);
	return code;
}
