/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GR4J, a daily rainfall-runoff model of four parameters (Perrin, Michel, Andreassian, 2003), for many sets of
 * parameters over the same series; each is judged by Nash and Sutcliffe's efficiency against the gauge. Days without
 * a reading are negative.
 */
#define UH_MAX 12

float s_curve(float t, float x4)
{
	if (t <= 0.0f)
		return 0.0f;
	return t < x4 ? pow(t / x4, 2.5f) : 1.0f;
}

float s_curve_twice(float t, float x4)
{
	if (t <= 0.0f)
		return 0.0f;
	if (t < x4)
		return 0.5f * pow(t / x4, 2.5f);
	return t < 2.0f * x4 ? 1.0f - 0.5f * pow(2.0f - t / x4, 2.5f) : 1.0f;
}

kernel void gr4j_ensemble(global const float4 *parameters, global const float2 *weather, global const float *observed,
                          const int days, const int spin_up, global float *efficiency, global float2 *stores,
                          const int sets)
{
	const int id = get_global_id(0);
	if (id >= sets)
		return;
	const float x1 = parameters[id].x * 300.0f, x2 = 2.0f * parameters[id].y - 5.0f;
	const float x3 = parameters[id].z * 100.0f, x4 = clamp(parameters[id].w, 0.6f, 5.0f);
	const int one_long = (int)ceil(x4), two_long = (int)ceil(2.0f * x4);

	float share_one[UH_MAX], share_two[UH_MAX], one[UH_MAX], two[UH_MAX];
	for (int k = 0; k < UH_MAX; k++) {
		share_one[k] = s_curve(k + 1.0f, x4) - s_curve(k, x4);
		share_two[k] = s_curve_twice(k + 1.0f, x4) - s_curve_twice(k, x4);
		one[k] = two[k] = 0.0f;
	}

	float s = 0.3f * x1, r = 0.5f * x3;
	float errors = 0.0f, sum = 0.0f, squares = 0.0f;
	int read = 0;
	for (int day = 0; day < days; day++) {
		const float rain = weather[day].x, evaporation = weather[day].y;
		float pr = 0.0f;

		/* The production store takes a part of net rain, or gives a part of net evaporation. */
		if (rain >= evaporation) {
			const float net = fmin(rain - evaporation, 13.0f * x1), w = tanh(net / x1), fill = s / x1;
			const float ps = x1 * (1.0f - fill * fill) * w / (1.0f + fill * w);
			pr = net - ps;
			s += ps;
		} else {
			const float net = fmin(evaporation - rain, 13.0f * x1), w = tanh(net / x1), fill = s / x1;
			s -= s * (2.0f - fill) * w / (1.0f + (1.0f - fill) * w);
		}
		const float quarter = 4.0f / 9.0f * s / x1, fourth = quarter * quarter * quarter * quarter;
		const float left = s / sqrt(sqrt(1.0f + fourth));
		pr += s - left;
		s = left;

		/* Unit hydrographs */
		for (int k = 0; k + 1 < one_long; k++)
			one[k] = one[k + 1] + share_one[k] * pr;
		one[one_long - 1] = share_one[one_long - 1] * pr;
		for (int k = 0; k + 1 < two_long; k++)
			two[k] = two[k + 1] + share_two[k] * pr;
		two[two_long - 1] = share_two[two_long - 1] * pr;

		/* The routing store and what is exchanged with other basins */
		const float exchange = x2 * pow(fmax(r, 0.0f) / x3, 3.5f);
		r = fmax(r + 0.9f * one[0] + exchange, 0.0f);
		const float over = r / x3, kept = r / sqrt(sqrt(1.0f + over * over * over * over));
		const float flow = r - kept + fmax(0.1f * two[0] + exchange, 0.0f);
		r = kept;

		const float gauge = observed[day];
		if (day >= spin_up && gauge >= 0.0f) {
			errors += (flow - gauge) * (flow - gauge);
			sum += gauge;
			squares += gauge * gauge;
			read++;
		}
	}
	const float spread = squares - sum * sum / max(read, 1);
	efficiency[id] = spread > 0.0f ? 1.0f - errors / spread : -INFINITY;
	stores[id] = (float2)(s, r);
}
