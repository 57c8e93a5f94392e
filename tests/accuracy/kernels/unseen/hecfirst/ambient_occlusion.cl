/* SPDX-License-Identifier: Apache-2.0 */
/* Ambient occlusion of three spheres above a plane: a pixel has SUB x SUB samples, and where one meets the scene,
   NAO x NAO random rays of the hemisphere that look for what hides the sky. */
#define SUB 2
#define NAO 8
#define PI 3.14159265f

typedef struct {
    uint z1, z2, z3, z4;
} generator;

typedef struct {
    float t;
    float3 at, normal;
    int is_hit;
} meeting;

/* In [0, 1): L'Ecuyer's LFSR113. */
float draw(generator *rng)
{
    uint b = ((rng->z1 << 6) ^ rng->z1) >> 13;
    rng->z1 = ((rng->z1 & 4294967294u) << 18) ^ b;
    b = ((rng->z2 << 2) ^ rng->z2) >> 27;
    rng->z2 = ((rng->z2 & 4294967288u) << 2) ^ b;
    b = ((rng->z3 << 13) ^ rng->z3) >> 21;
    rng->z3 = ((rng->z3 & 4294967280u) << 7) ^ b;
    b = ((rng->z4 << 3) ^ rng->z4) >> 12;
    rng->z4 = ((rng->z4 & 4294967168u) << 13) ^ b;
    return as_float(((rng->z1 ^ rng->z2 ^ rng->z3 ^ rng->z4) & 0x7fffff) | 0x3f800000) - 1.0f;
}

void meet_sphere(meeting *best, float3 origin, float3 way, float4 sphere)
{
    const float3 from = origin - sphere.xyz;
    const float b = dot(from, way);
    const float c = dot(from, from) - sphere.w * sphere.w;
    const float under = b * b - c;

    if (under > 0.0f) {
        const float t = -b - sqrt(under);
        if (t > 0.0f && t < best->t) {
            best->t = t;
            best->is_hit = 1;
            best->at = origin + way * t;
            best->normal = normalize(best->at - sphere.xyz);
        }
    }
}

void meet_plane(meeting *best, float3 origin, float3 way, float3 point, float3 normal)
{
    const float d = -dot(point, normal);
    const float v = dot(way, normal);

    if (fabs(v) < 1e-6f)
        return;
    const float t = -(dot(origin, normal) + d) / v;
    if (t > 0.0f && t < best->t) {
        best->t = t;
        best->is_hit = 1;
        best->at = origin + way * t;
        best->normal = normal;
    }
}

void meet_scene(meeting *best, float3 origin, float3 way, const float4 *spheres, float3 point, float3 normal)
{
    best->t = 1e17f;
    best->is_hit = 0;
    for (int s = 0; s < 3; s++)
        meet_sphere(best, origin, way, spheres[s]);
    meet_plane(best, origin, way, point, normal);
}

float open_sky(const meeting *place, const float4 *spheres, float3 point, float3 normal, generator *rng)
{
    const float3 n = place->normal;
    float3 side = (float3)(0.0f);
    float hidden = 0.0f;

    if (n.x < 0.6f && n.x > -0.6f)
        side.x = 1.0f;
    else if (n.y < 0.6f && n.y > -0.6f)
        side.y = 1.0f;
    else if (n.z < 0.6f && n.z > -0.6f)
        side.z = 1.0f;
    else
        side.x = 1.0f;
    const float3 first = normalize(cross(side, n));
    const float3 second = normalize(cross(n, first));
    const float3 origin = place->at + n * 0.0001f;

    for (int j = 0; j < NAO; j++) {
        for (int k = 0; k < NAO; k++) {
            const float r = sqrt(draw(rng));
            const float phi = 2.0f * PI * draw(rng);
            const float x = cos(phi) * r, y = sin(phi) * r, z = sqrt(1.0f - r * r);
            const float3 way = x * first + y * second + z * n;
            meeting other;
            meet_scene(&other, origin, way, spheres, point, normal);
            if (other.is_hit)
                hidden += 1.0f;
        }
    }
    return (NAO * NAO - hidden) / (NAO * NAO);
}

uchar shade(float f)
{
    return clamp((int)(f * 255.5f), 0, 255);
}

__kernel void ambient_occlusion(__global uchar *image, const int width, const int height, const float4 sphere0,
                                const float4 sphere1, const float4 sphere2, const float4 plane_point,
                                const float4 plane_normal)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float4 spheres[3] = {sphere0, sphere1, sphere2};
    const float3 point = plane_point.xyz, normal = plane_normal.xyz;

    if (x >= width || y >= height)
        return;
    const uint first = y * width + x;
    generator rng = {first + 2u, first * 2654435761u + 8u, first * 40503u + 16u, first + 128u};
    float sum = 0.0f;
    for (int v = 0; v < SUB; v++) {
        for (int u = 0; u < SUB; u++) {
            const float px = (x + u / (float)SUB - width / 2.0f) / (width / 2.0f);
            const float py = -(y + v / (float)SUB - height / 2.0f) / (height / 2.0f);
            const float3 way = normalize((float3)(px, py, -1.0f));
            meeting place;
            meet_scene(&place, (float3)(0.0f), way, spheres, point, normal);
            if (place.is_hit)
                sum += open_sky(&place, spheres, point, normal, &rng);
        }
    }
    const uchar grey = shade(sum / (SUB * SUB));
    image[3 * first] = grey;
    image[3 * first + 1] = grey;
    image[3 * first + 2] = grey;
}
