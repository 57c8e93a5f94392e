/* SPDX-License-Identifier: Apache-2.0 */
/* What a calibration found and cannot be. */
#include "daemon/calibrator/impossible.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/calibrator/memory.h"

/* Capacities are known within 20 % (calibrate_memory.c): three standard errors. */
#define CAPACITY_APART 0.6
#define ERRORS         3.0
#define AGREED         0.15 /* of logarithms: repeated calibrations lie less apart */
#define UNDERCUT       10.0 /* times */

/* Of what is not known at all, as of work that is not followed to its end
 * (model/answer/interval.c). */
#define UNKNOWN_SD 1.0

struct finding {
	const struct device *device;
	struct impossible *found;
	size_t count;
};

static const char *const ordinal[] = {"first", "second", "third", "fourth"};

static double value(const struct finding *finding, unsigned id)
{
	return device_value(finding->device, id, 0);
}

static double memory_value(const struct finding *finding, unsigned level, enum memory_column column)
{
	return value(finding, coefficient_memory((enum memory_level)level, column));
}

/* The level behind the index-th of so many caches. */
static unsigned behind(unsigned index, unsigned caches)
{
	return index + 1 < caches ? index + 1 : (unsigned)MEMORY_DRAM;
}

static enum doubt kind_of_level(unsigned level)
{
	return level == MEMORY_L1 ? DOUBT_UNIT : DOUBT_SHARED;
}

/* A time anywhere between two that are so far apart, each alike likely. */
static double sd_between(double one, double other)
{
	return one > 0 && other > 0 ? fabs(log(one / other)) / sqrt(12) : UNKNOWN_SD;
}

/* What differs for a footprint that a level holds or does not. */
static double sd_of_edge(const struct finding *finding, unsigned index, unsigned caches)
{
	unsigned next = behind(index, caches);
	double read = sd_between(memory_value(finding, index, MEMORY_COLUMN_READ),
	                         memory_value(finding, next, MEMORY_COLUMN_READ));
	double gather = sd_between(memory_value(finding, index, MEMORY_COLUMN_GATHER),
	                           memory_value(finding, next, MEMORY_COLUMN_GATHER));
	return fmax(read, gather);
}

__attribute__((format(printf, 5, 6))) static void add(struct finding *finding,
                                                      enum impossible_family family,
                                                      enum doubt kind, double log_sd,
                                                      const char *format, ...)
{
	va_list arguments;
	if (finding->count == IMPOSSIBLE_MAX)
		return;
	struct impossible *one = &finding->found[finding->count++];
	*one = (struct impossible){.family = family, .kind = kind, .log_sd = log_sd};
	va_start(arguments, format);
	(void)vsnprintf(one->text, sizeof one->text, format, arguments);
	va_end(arguments);
}

struct text {
	char text[24];
};

static struct text bytes_text(double bytes)
{
	struct text text;
	bool is_small = bytes < 1 << 20;
	if (bytes < 1 << 10)
		(void)snprintf(text.text, sizeof text.text, "%.0f B", bytes);
	else
		(void)snprintf(text.text, sizeof text.text, "%.3g %s",
		               bytes / (is_small ? 1 << 10 : 1 << 20), is_small ? "KiB" : "MiB");
	return text;
}

static struct text time_text(double time_s)
{
	static const struct {
		double unit_s;
		const char *name;
	} units[] = {{1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
	struct text text;
	unsigned i = time_s >= 1e-3 ? 0 : time_s >= 1e-6 ? 1 : 2;
	(void)snprintf(text.text, sizeof text.text, "%.3g %s", time_s / units[i].unit_s,
	               units[i].name);
	return text;
}

/* A later launch, after a pause, is never much faster than one right behind another. */
static void find_undercut(struct finding *finding, unsigned id, enum idle_part part,
                          const char *what)
{
	double first_s = value(finding, id);
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		enum idle_state state = (enum idle_state)i;
		double later_s = value(finding, coefficient_idle(state, part));
		if (!(later_s > 0) || first_s <= UNDERCUT * later_s)
			continue;
		add(finding, IMPOSSIBLE_LAUNCH, DOUBT_LAUNCH, sd_between(first_s, later_s),
		    "%s was found to take %s; later it took %s, after %s without work.", what,
		    time_text(first_s).text, time_text(later_s).text,
		    time_text(idle_state_s(state)).text);
		return;
	}
}

static void find_launches(struct finding *finding)
{
	if (finding->device->coefficient[COEFFICIENT_LAUNCH_BASE].is_known &&
	    !(value(finding, COEFFICIENT_LAUNCH_BASE) + value(finding, COEFFICIENT_LAUNCH_ENQUEUE) >
	      0))
		add(finding, IMPOSSIBLE_LAUNCH, DOUBT_LAUNCH, UNKNOWN_SD,
		    "An empty launch was found to take no time.");
	find_undercut(finding, COEFFICIENT_LAUNCH_BASE, IDLE_BASE, "An empty launch");
	find_undercut(finding, COEFFICIENT_LAUNCH_ENQUEUE, IDLE_ENQUEUE, "Enqueueing");
}

/* An addition that costs nothing, of a type that the device has. */
static void find_operations(struct finding *finding)
{
	static const enum type_class types[] = {TYPE_CLASS_INT, TYPE_CLASS_FLOAT};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		unsigned id = coefficient_op(OP_MODE_VECTOR, types[i], OP_CLASS_ADD);
		const struct coefficient *one = &finding->device->coefficient[id];
		if (one->is_known && !(one->value > 0))
			add(finding, IMPOSSIBLE_OPERATIONS, DOUBT_UNIT, UNKNOWN_SD,
			    "An addition of type %s was found to take no time.",
			    types[i] == TYPE_CLASS_INT ? "int" : "float");
	}
}

static void find_ways(struct finding *finding, unsigned caches)
{
	for (unsigned i = 0; i < caches && i < 2; i++) {
		double capacity = memory_value(finding, i, MEMORY_COLUMN_CAPACITY);
		double way = memory_value(finding, i, MEMORY_COLUMN_WAY);
		/* where pages are mixed it is what walks see, and no way of the cache */
		if (!(way > 0) || memory_value(finding, i, MEMORY_COLUMN_WALK_LINES) > 0 ||
		    log(capacity / way / (double)(int)MEMORY_WAYS_MAX) <= CAPACITY_APART)
			continue;
		add(finding, IMPOSSIBLE_MEMORY, kind_of_level(i), sd_of_edge(finding, i, caches),
		    "A way of the %s level was found as %s of %s; no core has more than %d ways.",
		    ordinal[i], bytes_text(way).text, bytes_text(capacity).text,
		    (int)MEMORY_WAYS_MAX);
	}
}

/* Two figures of which the further level's is the better one, beyond their errors. */
static bool is_turned(const struct finding *finding, unsigned near, unsigned far,
                      enum memory_column column, double *nearer, double *farther)
{
	const struct coefficient *of = finding->device->coefficient;
	const struct coefficient *one = &of[coefficient_memory((enum memory_level)near, column)];
	const struct coefficient *other = &of[coefficient_memory((enum memory_level)far, column)];
	double sign = column == MEMORY_COLUMN_LATENCY ? -1 : 1;
	*nearer = one->value;
	*farther = other->value;
	return one->is_known && other->is_known && one->value > 0 && other->value > 0 &&
	       sign * log(other->value / one->value) >
	               fmax(AGREED, ERRORS * hypot(one->standard_error, other->standard_error));
}

static void find_order(struct finding *finding, unsigned caches)
{
	for (unsigned i = 0; i < caches; i++) {
		unsigned next = behind(i, caches);
		const char *name = next == MEMORY_DRAM ? "memory" : ordinal[next];
		const char *level = next == MEMORY_DRAM ? "" : " level";
		double near, far;
		if (is_turned(finding, i, next, MEMORY_COLUMN_READ, &near, &far))
			add(finding, IMPOSSIBLE_MEMORY, kind_of_level(next), sd_between(near, far),
			    "The %s level was found to be read at %.3g GB/s, %s%s behind it at "
			    "%.3g.",
			    ordinal[i], near * 1e-9, name, level, far * 1e-9);
		if (is_turned(finding, i, next, MEMORY_COLUMN_LATENCY, &near, &far))
			add(finding, IMPOSSIBLE_MEMORY, kind_of_level(next), sd_between(near, far),
			    "The %s level was found to answer after %s, %s%s behind it after %s.",
			    ordinal[i], time_text(near).text, name, level, time_text(far).text);
	}
	for (unsigned i = 0; i <= caches; i++) {
		unsigned level = i == caches ? (unsigned)MEMORY_DRAM : i;
		const struct coefficient *latency =
		        &finding->device->coefficient[coefficient_memory((enum memory_level)level,
		                                                         MEMORY_COLUMN_LATENCY)];
		if (latency->is_known && !(latency->value > 0))
			add(finding, IMPOSSIBLE_MEMORY, kind_of_level(level), UNKNOWN_SD,
			    "%s%s was found to answer at once.",
			    i == caches ? "Memory" : "The cache that is ",
			    i == caches ? "" : ordinal[i]);
	}
}

/*
 * What the node says of a level instead; 0: nothing against it. Of the last one a virtual machine
 * and other processors leave less than all: that is no contradiction.
 */
static double told_instead(double found, unsigned level, const struct node_caches *node)
{
	const struct node_cache *told = &node->level[level];
	bool may_be_less = level + 1 == node->count || !told->is_own;
	if (log(found / told->most_bytes) > CAPACITY_APART)
		return told->most_bytes;
	return !may_be_less && log(told->least_bytes / found) > CAPACITY_APART ? told->least_bytes
	                                                                       : 0;
}

unsigned impossible_capacities(const double *capacity, unsigned caches,
                               const struct node_caches *node)
{
	unsigned wrong = node->count > 0 && caches != node->count;
	for (unsigned i = 0; i < caches && i < node->count; i++)
		wrong += told_instead(capacity[i], i, node) > 0;
	return wrong;
}

static void find_node(struct finding *finding, unsigned caches, const struct node_caches *node)
{
	for (unsigned i = 0; i < caches && i < node->count; i++) {
		double found = memory_value(finding, i, MEMORY_COLUMN_CAPACITY);
		double told = told_instead(found, i, node);
		if (told > 0)
			add(finding, IMPOSSIBLE_MEMORY, kind_of_level(i),
			    sd_of_edge(finding, i, caches),
			    "The %s level was found as %s; this node's /sys says %s%s.", ordinal[i],
			    bytes_text(found).text, bytes_text(told).text,
			    node->level[i].is_own ? " a processor" : "");
	}
	if (caches != node->count)
		add(finding, IMPOSSIBLE_MEMORY, DOUBT_SHARED,
		    sd_of_edge(finding, caches > 0 ? caches - 1 : 0, caches),
		    "%u levels of caches were found; this node's /sys says %u.", caches,
		    node->count);
}

/*
 * Some drivers tell of a nearer level than the last; none of more than there is. Of a GPU they tell
 * what is left of its first levels beside local memory (an H100's: 132 times 32 KiB, where 256 KiB
 * are shared out, and 50 MiB lie behind), so that nothing contradicts it.
 */
static void find_told(struct finding *finding, unsigned caches, double told_bytes)
{
	double last = memory_value(finding, caches - 1, MEMORY_COLUMN_CAPACITY);
	for (unsigned i = 0; i < caches; i++) {
		double capacity = memory_value(finding, i, MEMORY_COLUMN_CAPACITY);
		double instances = memory_value(finding, i, MEMORY_COLUMN_INSTANCES);
		if (fabs(log(capacity / told_bytes)) <= CAPACITY_APART ||
		    fabs(log(capacity * fmax(instances, 1) / told_bytes)) <= CAPACITY_APART)
			return;
	}
	if (last > told_bytes)
		add(finding, IMPOSSIBLE_MEMORY, DOUBT_SHARED,
		    sd_of_edge(finding, caches - 1, caches),
		    "The last cache was found as %s; the driver says %s.", bytes_text(last).text,
		    bytes_text(told_bytes).text);
}

size_t impossible_find(const struct device *device, double told_bytes,
                       const struct node_caches *node, struct impossible found[IMPOSSIBLE_MAX])
{
	struct finding finding = {.device = device, .found = found};
	unsigned caches = (unsigned)value(&finding, COEFFICIENT_MEMORY_LEVELS);
	find_launches(&finding);
	find_operations(&finding);
	if (!device->coefficient[COEFFICIENT_MEMORY_LEVELS].is_known || caches > MEMORY_DRAM)
		return finding.count;
	if (node != NULL && node->count > 0)
		find_node(&finding, caches, node);
	if (caches > 0) {
		find_ways(&finding, caches);
		find_order(&finding, caches);
	}
	if (caches > 0 && told_bytes > 0 && device->type == DEVICE_CPU)
		find_told(&finding, caches, told_bytes);
	return finding.count;
}

void impossible_tell(const struct impossible *found, size_t count, struct device *device)
{
	double variance[DOUBT_COUNT] = {0}, all = 0;
	size_t used = 0;
	device->doubts[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(found[i].text);
		/* several of one kind may have one reason */
		variance[found[i].kind] =
		        fmax(variance[found[i].kind], found[i].log_sd * found[i].log_sd);
		if (used + length + 2 > sizeof device->doubts)
			continue;
		if (used > 0)
			device->doubts[used++] = '\n';
		memcpy(device->doubts + used, found[i].text, length + 1);
		used += length;
	}
	for (unsigned kind = 0; kind < DOUBT_COUNT; kind++) {
		struct coefficient *one = &device->coefficient[doubt_ids[kind]];
		if (one->is_known)
			one->value = sqrt(one->value * one->value + variance[kind]);
		all = fmax(all, variance[kind]);
	}
	/* of all kinds where nothing tells them apart: as unsure as the worst */
	struct coefficient *log_sd = &device->coefficient[COEFFICIENT_INTERVAL_LOG_SD];
	if (log_sd->is_known)
		log_sd->value = sqrt(log_sd->value * log_sd->value + all);
}
