// SPDX-License-Identifier: Apache-2.0
// Is a 32-bit number prime? Small factors first, then the strong test with bases 2, 7 and 61, which is exact below 2^32.

uint pow_mod(uint base, uint exponent, uint m)
{
	ulong result = 1, square = base % m;

	while (exponent) {
		if (exponent & 1)
			result = result * square % m;
		square = square * square % m;
		exponent >>= 1;
	}
	return (uint)result;
}

bool is_strong_probable_prime(uint n, uint a)
{
	uint d = n - 1;
	int twos = 0;

	while ((d & 1) == 0) {
		d >>= 1;
		twos++;
	}
	uint x = pow_mod(a, d, n);
	if (x == 1 || x == n - 1)
		return true;
	while (--twos > 0) {
		x = (uint)((ulong)x * x % n);
		if (x == n - 1)
			return true;
		if (x == 1)
			return false;
	}
	return false;
}

__constant uint small_primes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 61};
__constant uint bases[] = {2, 7, 61};

__kernel void miller_rabin(__global const uint *numbers, __global uchar *is_prime, uint count)
{
	uint gid = get_global_id(0);
	if (gid >= count)
		return;

	uint n = numbers[gid] | 1;
	uchar answer = n > 1;

	for (int i = 0; i < 12 && answer; i++) {
		if (n % small_primes[i] == 0) {
			is_prime[gid] = n == small_primes[i];
			return;
		}
	}
	for (int b = 0; b < 3; b++)
		if (answer && !is_strong_probable_prime(n, bases[b]))
			answer = 0;
	is_prime[gid] = answer;
}
