/* SPDX-License-Identifier: Apache-2.0 */
/* Powers modulo an odd number of 63 bits, by squaring and Montgomery's products. */
ulong redc(ulong high, ulong low, ulong modulus, ulong inverse)
{
	ulong m = low * inverse;
	ulong carry = low != 0;
	ulong sum = high + mul_hi(m, modulus) + carry;
	return sum >= modulus ? sum - modulus : sum;
}

ulong product(ulong a, ulong b, ulong modulus, ulong inverse)
{
	return redc(mul_hi(a, b), a * b, modulus, inverse);
}

/* inverse: -1 / modulus modulo 2^64; square: 2^128 modulo modulus. */
kernel void modular_power(global const ulong *base, global const uint *exponent, global ulong *power, ulong modulus,
                          ulong inverse, ulong square)
{
	size_t i = get_global_id(0);
	ulong b = product(base[i] % modulus, square, modulus, inverse);
	ulong result = product(1, square, modulus, inverse);
	uint e = exponent[i];

	while (e != 0) {
		if (e & 1)
			result = product(result, b, modulus, inverse);
		b = product(b, b, modulus, inverse);
		e >>= 1;
	}
	power[i] = redc(0, result, modulus, inverse);
}
