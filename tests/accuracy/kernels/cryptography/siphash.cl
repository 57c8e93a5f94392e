/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 of messages of as many 64-bit words as each has. */
void sip_round(ulong *v0, ulong *v1, ulong *v2, ulong *v3)
{
	*v0 += *v1;
	*v2 += *v3;
	*v1 = rotate(*v1, 13ul) ^ *v0;
	*v3 = rotate(*v3, 16ul) ^ *v2;
	*v0 = rotate(*v0, 32ul);
	*v2 += *v1;
	*v0 += *v3;
	*v1 = rotate(*v1, 17ul) ^ *v2;
	*v3 = rotate(*v3, 21ul) ^ *v0;
	*v2 = rotate(*v2, 32ul);
}

kernel void siphash(global const ulong *words, global const int *start, global ulong *hash, ulong key0, ulong key1,
                    int messages)
{
	int message = get_global_id(0);
	if (message >= messages)
		return;

	int from = start[message], to = start[message + 1];
	ulong v0 = key0 ^ 0x736f6d6570736575ul, v1 = key1 ^ 0x646f72616e646f6dul;
	ulong v2 = key0 ^ 0x6c7967656e657261ul, v3 = key1 ^ 0x7465646279746573ul;
	for (int k = from; k < to; k++) {
		ulong word = words[k];
		v3 ^= word;
		sip_round(&v0, &v1, &v2, &v3);
		sip_round(&v0, &v1, &v2, &v3);
		v0 ^= word;
	}
	ulong length = (ulong)(to - from) << 59;
	v3 ^= length;
	sip_round(&v0, &v1, &v2, &v3);
	sip_round(&v0, &v1, &v2, &v3);
	v0 ^= length;
	v2 ^= 0xff;
	for (int k = 0; k < 4; k++)
		sip_round(&v0, &v1, &v2, &v3);
	hash[message] = v0 ^ v1 ^ v2 ^ v3;
}
