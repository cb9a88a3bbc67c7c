/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines' BMCs: one Redfish service in a thread of its own, which shows each user the one
 * system that is theirs.  User NAME, password "sesame". */
#ifndef TESTS_TOOLS_SIM_BMC_H
#define TESTS_TOOLS_SIM_BMC_H

#include <jansson.h>
#include <microhttpd.h>

#include "tests/tools/sim_lab.h"

enum { BMC_BODY = 1024, BMC_CONNECTIONS = 4096 };

struct bmc_request {
	char body[BMC_BODY];
	size_t len;
};

static enum MHD_Result bmc_answer(struct MHD_Connection *c, unsigned status, const char *json,
	const char *name, const char *value)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(json), (void *)(uintptr_t)json, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result ok;

	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	if (name)
		MHD_add_response_header(r, name, value);
	ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static struct sim_machine *bmc_machine(struct sim_lab *lab, const char *name)
{
	for (int i = 0; name && i < lab->n; i++)
		if (!strcmp(lab->machines[i].name, name))
			return &lab->machines[i];
	return NULL;
}

static enum MHD_Result bmc_login(struct sim_lab *lab, struct MHD_Connection *c, const json_t *body)
{
	struct sim_machine *m = bmc_machine(
		lab, json_string_value(json_object_get(body, "UserName")));
	const char *password = json_string_value(json_object_get(body, "Password"));
	struct MHD_Response *r;
	enum MHD_Result ok;
	char where[128];

	if (!m || !password || strcmp(password, "sesame"))
		return bmc_answer(c, 401, "{}", NULL, NULL);
	lab->sessions++;
	snprintf(where, sizeof(where), "/redfish/v1/SessionService/Sessions/%s", m->name);
	r = MHD_create_response_from_buffer(2, (void *)(uintptr_t) "{}", MHD_RESPMEM_PERSISTENT);
	MHD_add_response_header(r, "X-Auth-Token", m->name);
	MHD_add_response_header(r, MHD_HTTP_HEADER_LOCATION, where);
	ok = MHD_queue_response(c, 201, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result bmc_system(struct sim_machine *m, struct MHD_Connection *c)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"@odata.id\":\"/redfish/v1/Systems/%s\",\"PowerState\":\"%s\",\"Boot\":{"
		"\"BootSourceOverrideEnabled\":\"%s\",\"BootSourceOverrideTarget\":\"%s\","
		"\"BootSourceOverrideMode\":\"Legacy\","
		"\"BootSourceOverrideTarget@Redfish.AllowableValues\":[\"None\",\"Pxe\",\"Hdd\"]},"
		"\"Actions\":{\"#ComputerSystem.Reset\":{\"target\":"
		"\"/redfish/v1/Systems/%s/Actions/ComputerSystem.Reset\","
		"\"ResetType@Redfish.AllowableValues\":[\"On\",\"ForceOff\",\"ForceRestart\"]}}}",
		m->name, m->want_on ? "On" : "Off", m->net_once ? "Once" : "Disabled",
		m->net_once ? "Pxe" : "None", m->name);
	return bmc_answer(c, 200, text, MHD_HTTP_HEADER_ETAG, m->net_once ? "\"1\"" : "\"0\"");
}

static enum MHD_Result bmc_patch(
	struct sim_machine *m, struct MHD_Connection *c, const json_t *body)
{
	const char *to = json_string_value(
		json_object_get(json_object_get(body, "Boot"), "BootSourceOverrideTarget"));

	if (!to)
		return bmc_answer(c, 400, "{}", NULL, NULL);
	m->net_once = !strcmp(to, "Pxe");
	return bmc_answer(c, 200, "{}", NULL, NULL);
}

static enum MHD_Result bmc_reset(
	struct sim_machine *m, struct MHD_Connection *c, const json_t *body)
{
	const char *type = json_string_value(json_object_get(body, "ResetType"));

	if (!type || (!strcmp(type, "On") && m->want_on))
		return bmc_answer(c, type ? 409 : 400, "{}", NULL, NULL);
	m->want_on = strcmp(type, "ForceOff") != 0;
	m->resets++;
	uv_async_send(&m->lab->power);
	return bmc_answer(c, 204, "", NULL, NULL);
}

static enum MHD_Result bmc_route(struct sim_lab *lab, struct MHD_Connection *c, const char *url,
	const char *method, const json_t *body)
{
	struct sim_machine *m = bmc_machine(
		lab, MHD_lookup_connection_value(c, MHD_HEADER_KIND, "X-Auth-Token"));
	char own[96];

	lab->requests++;
	if (!strcmp(url, "/redfish/v1/"))
		return bmc_answer(c, 200,
			"{\"Systems\":{\"@odata.id\":\"/redfish/v1/Systems\"},\"Links\":{"
			"\"Sessions\":{\"@odata.id\":\"/redfish/v1/SessionService/Sessions\"}}}",
			NULL, NULL);
	if (!strcmp(url, "/redfish/v1/SessionService/Sessions") && !strcmp(method, "POST"))
		return bmc_login(lab, c, body);
	if (!m)
		return bmc_answer(c, 401, "{}", NULL, NULL);
	if (!strcmp(method, "DELETE")) {
		lab->sessions--;
		return bmc_answer(c, 204, "", NULL, NULL);
	}
	if (!strcmp(url, "/redfish/v1/Systems")) {
		snprintf(own, sizeof(own),
			"{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/%s\"}]}", m->name);
		return bmc_answer(c, 200, own, NULL, NULL);
	}
	snprintf(own, sizeof(own), "/redfish/v1/Systems/%s", m->name);
	if (strncmp(url, own, strlen(own)))
		return bmc_answer(c, 404, "{}", NULL, NULL);
	if (!strcmp(method, "GET"))
		return bmc_system(m, c);
	return !strcmp(method, "PATCH") ? bmc_patch(m, c, body) : bmc_reset(m, c, body);
}

static enum MHD_Result bmc_on_request(void *arg, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **request)
{
	struct bmc_request *r = *request;
	struct sim_lab *lab = arg;
	enum MHD_Result ok;
	json_t *body;

	(void)version;
	if (!r) {
		*request = mem_alloc(sizeof(*r));
		return MHD_YES;
	}
	if (*upload_size) {
		if (*upload_size > sizeof(r->body) - r->len)
			return MHD_NO;
		memcpy(r->body + r->len, upload, *upload_size);
		r->len += *upload_size;
		*upload_size = 0;
		return MHD_YES;
	}
	body = json_loadb(r->body, r->len, 0, NULL);
	pthread_mutex_lock(&lab->lock);
	ok = bmc_route(lab, c, url, method, body);
	pthread_mutex_unlock(&lab->lock);
	json_decref(body);
	return ok;
}

static void bmc_on_completed(
	void *arg, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode how)
{
	(void)arg;
	(void)c;
	(void)how;
	free(*request);
	*request = NULL;
}

/* Returns the service's port, or 0.  key, cert: PEM. */
static int bmc_start(struct sim_lab *lab, const char *key, const char *cert)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct MHD_Daemon *d = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TLS, 0,
		NULL, NULL, bmc_on_request, lab, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
		MHD_OPTION_HTTPS_MEM_KEY, key, MHD_OPTION_HTTPS_MEM_CERT, cert,
		MHD_OPTION_NOTIFY_COMPLETED, bmc_on_completed, NULL, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)BMC_CONNECTIONS, MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_END);

	return d ? MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port : 0;
}

#endif
