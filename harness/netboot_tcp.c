/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot_tcp.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { STATE_CLOSED = 7 }; /* TCP_CLOSE of the header that cannot be included here */

static struct tcp_info look(int sock)
{
	struct tcp_info info = {.tcpi_state = STATE_CLOSED};
	socklen_t len = sizeof(info);

	if (getsockopt(sock, IPPROTO_TCP, TCP_INFO, &info, &len))
		info = (struct tcp_info){.tcpi_state = STATE_CLOSED};
	return info;
}

uint64_t netboot_tcp_acked(int sock)
{
	return look(sock).tcpi_bytes_acked;
}

int netboot_tcp_watch(int sock, uint64_t *target)
{
	uint64_t before, after = look(sock).tcpi_bytes_acked;
	int queued = 0;

	/* Both numbers of one moment: an acknowledgement may come between them. */
	do {
		before = after;
		if (ioctl(sock, SIOCOUTQ, &queued))
			return -1;
		after = look(sock).tcpi_bytes_acked;
	} while (before != after);
	*target = after + (uint64_t)queued;
	return fcntl(sock, F_DUPFD_CLOEXEC, 3);
}

enum netboot_tcp netboot_tcp_reached(int sock, uint64_t target)
{
	struct tcp_info info = look(sock);

	if (info.tcpi_bytes_acked >= target)
		return NET_REACHED;
	return info.tcpi_state == STATE_CLOSED ? NET_GONE : NET_WAITS;
}
