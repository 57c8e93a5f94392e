/* SPDX-License-Identifier: Apache-2.0 */
/* Forward rates of the reactions of a flame by Arrhenius' law, a cell of the grid a work-item, written out as a
 * straight line of all reactions: those of hydrogen, carbon monoxide and methyl. After the first rates of S3D in
 * SHOC. */
kernel void reaction_rates(global const float *temperature, global float *forward, float to_kelvin, int cells)
{
	int cell = get_global_id(0);
	float kelvin = temperature[cell] * to_kelvin;
	float logarithm = log(kelvin);
	float inverse = 1.0f / kelvin;

	forward[cell] = exp(37.8159211f - 0.6707f * logarithm - 8575.2f * inverse);
	forward[1 * cells + cell] = exp(10.5635949f + 2.7f * logarithm - 3150.1f * inverse);
	forward[2 * cells + cell] = 1e+18f * inverse;
	forward[3 * cells + cell] = exp(39.0385861f - 0.6f * logarithm);
	forward[4 * cells + cell] = exp(45.5408762f - 1.25f * logarithm);
	forward[5 * cells + cell] = exp(19.190789f + 1.51f * logarithm - 1726.1f * inverse);
	forward[6 * cells + cell] = exp(10.482906f + 2.4f * logarithm + 1061.8f * inverse);
	forward[7 * cells + cell] = 2.2e+22f * inverse * inverse;
	forward[8 * cells + cell] = exp(31.9350862f - 0.37f * logarithm);
	forward[9 * cells + cell] = 1.2e+17f * inverse;
	forward[10 * cells + cell] = 5e+17f * inverse;
	forward[11 * cells + cell] = exp(42.4761511f - 0.86f * logarithm);
	forward[12 * cells + cell] = exp(44.4814847f - 1.24f * logarithm);
	forward[13 * cells + cell] = exp(43.8713344f - 0.76f * logarithm);
	forward[14 * cells + cell] = exp(32.0618379f - 319.5f * inverse);
	forward[15 * cells + cell] = exp(29.0097872f - 337.7f * inverse);
	forward[16 * cells + cell] = 2e+13f;
	forward[17 * cells + cell] = exp(30.3051698f + 251.6f * inverse);
	forward[18 * cells + cell] = exp(33.6712758f - 6038.7f * inverse);
	forward[19 * cells + cell] = exp(25.5908003f + 820.3f * inverse);
	forward[20 * cells + cell] = exp(16.308716f + 2.0f * logarithm - 2616.6f * inverse);
	forward[21 * cells + cell] = exp(29.9336062f - 1811.6f * inverse);
	forward[22 * cells + cell] = exp(16.0803938f + 2.0f * logarithm - 2012.9f * inverse);
	forward[23 * cells + cell] = exp(28.3241683f - 214.9f * inverse);
	forward[24 * cells + cell] = exp(41.9771599f - 14799.0f * inverse);
	forward[25 * cells + cell] = exp(23.6136376f - 1200.2f * inverse);
	forward[26 * cells + cell] = exp(34.0312786f - 1509.6f * inverse);
	forward[27 * cells + cell] = exp(28.5473118f - 24053.8f * inverse);
	forward[28 * cells + cell] = exp(32.6416564f - 11871.0f * inverse);
	forward[29 * cells + cell] = exp(17.6783433f + 1.228f * logarithm - 35.2f * inverse);
	forward[30 * cells + cell] = 5.7e+13f;
	forward[31 * cells + cell] = 3e+13f;
	forward[32 * cells + cell] = 7.34e+13f;
	forward[33 * cells + cell] = 3e+13f;
	forward[34 * cells + cell] = 3e+13f;
	forward[35 * cells + cell] = exp(30.2262758f - 201.3f * inverse);
	forward[36 * cells + cell] = exp(39.769885f - 1.0f * logarithm - 8554.7f * inverse);
	forward[37 * cells + cell] = 8e+13f;
	forward[38 * cells + cell] = 2e+13f;
	forward[39 * cells + cell] = 1.65e+14f;
	forward[40 * cells + cell] = 5e+13f;
	forward[41 * cells + cell] = 5.06e+13f;
	forward[42 * cells + cell] = exp(16.6719808f + 2.0f * logarithm - 5032.2f * inverse);
	forward[43 * cells + cell] = exp(46.1099708f - 1.41f * logarithm);
	forward[44 * cells + cell] = exp(15.4249485f + 2.0f * logarithm - 3638.3f * inverse);
	forward[45 * cells + cell] = 3e+18f * inverse;
	forward[46 * cells + cell] = exp(13.1993244f + 2.5f * logarithm - 1056.8f * inverse);
	forward[47 * cells + cell] = exp(20.3077504f + 1.62f * logarithm - 5454.9f * inverse);
}
