/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and users that the daemon knows. */
#include <stdlib.h>

#include "client/library/connection.h"
#include "client/library/error.h"
#include "client/predictd_operation.h"

struct kernels_block {
	predictd_kernels kernels;
	Predictd__Response *response;
	predictd_known_kernel *known;
	predictd_asked_kernel *asked;
};

void predictd_kernels_free(predictd_kernels *kernels)
{
	struct kernels_block *block = (struct kernels_block *)kernels; /* its first member */
	if (block == NULL)
		return;
	if (block->response != NULL)
		predictd__response__free_unpacked(block->response, NULL);
	free(block->known);
	free(block->asked);
	free(block);
}

static void fill_kernels(struct kernels_block *block, const Predictd__ListKernelsReply *reply)
{
	for (size_t i = 0; i < reply->n_kernels; i++)
		block->known[i] = (predictd_known_kernel){
		        reply->kernels[i]->kernel, reply->kernels[i]->name,
		        reply->kernels[i]->users, reply->kernels[i]->launches,
		        reply->kernels[i]->bytes};
	for (size_t i = 0; i < reply->n_asked; i++)
		block->asked[i] = (predictd_asked_kernel){
		        reply->asked[i]->kernel, reply->asked[i]->name, reply->asked[i]->device,
		        reply->asked[i]->uid, reply->asked[i]->questions};
	block->kernels =
	        (predictd_kernels){reply->n_kernels, block->known, reply->n_asked, block->asked};
}

predictd_status predictd_list_kernels(predictd_connection *connection, uint64_t offset,
                                      uint32_t count_max, predictd_kernels **kernels)
{
	error_clear();
	Predictd__ListKernels body = PREDICTD__LIST_KERNELS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response;
	body.offset = offset;
	body.count_max = count_max;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_KERNELS;
	request.list_kernels = &body;
	predictd_status status = connection_call(connection, &request,
	                                         PREDICTD__RESPONSE__BODY_LIST_KERNELS, &response);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__ListKernelsReply *reply = response->list_kernels;
	struct kernels_block *block = calloc(1, sizeof *block);
	if (block == NULL) {
		predictd__response__free_unpacked(response, NULL);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for kernels");
	}
	block->response = response;
	block->known = calloc(reply->n_kernels + 1, sizeof *block->known);
	block->asked = calloc(reply->n_asked + 1, sizeof *block->asked);
	if (block->known == NULL || block->asked == NULL) {
		predictd_kernels_free(&block->kernels);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for kernels");
	}
	fill_kernels(block, reply);
	*kernels = &block->kernels;
	return PREDICTD_OK;
}

struct users_block {
	predictd_users users;
	predictd_known_user each[];
};

void predictd_users_free(predictd_users *users)
{
	free(users);
}

predictd_status predictd_list_users(predictd_connection *connection, const uint32_t *after,
                                    uint32_t count_max, predictd_users **users)
{
	error_clear();
	Predictd__ListUsers body = PREDICTD__LIST_USERS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response;
	body.has_after = after != NULL;
	body.after = after != NULL ? *after : 0;
	body.count_max = count_max;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_USERS;
	request.list_users = &body;
	predictd_status status = connection_call(connection, &request,
	                                         PREDICTD__RESPONSE__BODY_LIST_USERS, &response);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__ListUsersReply *reply = response->list_users;
	struct users_block *block =
	        calloc(1, sizeof *block + reply->n_users * sizeof block->each[0]);
	if (block == NULL) {
		predictd__response__free_unpacked(response, NULL);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for users");
	}
	for (size_t i = 0; i < reply->n_users; i++) {
		const Predictd__KnownUser *one = reply->users[i];
		block->each[i] = (predictd_known_user){
		        .uid = one->uid,
		        .connections = one->connections,
		        .requests = one->requests,
		        .held_bytes = one->held_bytes,
		        .launches = one->launches,
		        .bytes = one->bytes,
		        .samples = one->samples,
		        .choices = one->choices,
		};
	}
	block->users = (predictd_users){reply->n_users, block->each, reply->is_last};
	predictd__response__free_unpacked(response, NULL);
	*users = &block->users;
	return PREDICTD_OK;
}
