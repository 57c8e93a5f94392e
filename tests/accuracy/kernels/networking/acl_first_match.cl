// SPDX-License-Identifier: Apache-2.0
// Firewall: the first rule whose ranges hold a packet decides. Rules are tried in order.

struct rule {
	uint src_low, src_high;
	ushort port_low, port_high;
	uchar protocols;	/* one bit for each of eight */
	uchar action;
	ushort pad;
};

struct packet {
	uint src;
	ushort port;
	uchar protocol;
	uchar flags;
};

#define DENY 0xff

inline bool in_range(uint x, uint low, uint high)
{
	return low <= x && x <= high;
}

__kernel void acl_first_match(__global const struct packet *packets, __constant struct rule *rules, uint rule_count,
			      __global uchar *verdict, __global ushort *which, uint packet_count)
{
	uint id = get_global_id(0);
	if (id >= packet_count)
		return;

	struct packet p = packets[id];
	uchar action = DENY;
	uint r;

	for (r = 0; r < rule_count; r++) {
		if (!(rules[r].protocols & (1 << (p.protocol & 7))))
			continue;
		if (!in_range(p.src, rules[r].src_low, rules[r].src_high))
			continue;
		if (in_range(p.port, rules[r].port_low, rules[r].port_high)) {
			action = rules[r].action;
			break;
		}
	}
	verdict[id] = action;
	which[id] = r;
}
