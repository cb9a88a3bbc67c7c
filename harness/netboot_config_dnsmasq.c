/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot_config_int.h"

static void dnsmasq_head(const struct netboot_config *c, bool proxy, struct buf *out)
{
	buf_addf(out,
		"# Lab machines of the harness netboot through this: dnsmasq as %s.\n"
		"# Printed by harness netboot config --format %s; print it again when a target "
		"file changes.\n"
		"#\n"
		"#   dnsmasq --test --conf-file=FILE                  is it right?\n"
		"#   dnsmasq --keep-in-foreground --conf-file=FILE    run it, as root\n"
		"#\n"
		"# Run it as a process of its own, not below /etc/dnsmasq.d: it has DNS switched "
		"off.\n\n",
		proxy ? "proxyDHCP beside a\n# server that gives the addresses"
		      : "the only DHCP server\n# of their segment",
		proxy ? "dnsmasq-proxy" : "dnsmasq");
	buf_addf(out,
		"# DHCP and TFTP on this interface only, and no DNS anywhere.\n"
		"port=0\n"
		"interface=%s\n"
		"except-interface=lo\n"
		"bind-interfaces\n\n",
		c->interface);
	buf_adds(out, "# Tells of every request and why it was answered as it was.\n"
		      "#log-dhcp\n\n");
}

static void dnsmasq_range(const struct netboot_config *c, bool proxy, struct buf *out)
{
	if (proxy) {
		buf_addf(out,
			"# No addresses: only what to boot, told to machines that ask for that. "
			"This "
			"host's\n"
			"# address says which network is meant.\n"
			"dhcp-range=%s,proxy\n\n",
			c->range ? c->range : c->address);
	} else {
		buf_addf(out,
			"# Addresses for the machines below. The netmask is the interface's.\n"
			"dhcp-range=%s\n"
			"# No default route: these machines need none, and one that leads nowhere "
			"does "
			"harm. For\n"
			"# a harness in another network: dhcp-option=option:router,ADDRESS\n"
			"dhcp-option=option:router\n\n",
			c->range);
	}
	buf_addf(out,
		"# Machines that are not named below (their BMCs, too) get no answer.%s\n"
		"dhcp-ignore=tag:!harness\n\n",
		proxy ? "" : " Without this line\n# they get an address, and nothing to boot.");
}

static void dnsmasq_first_stage(const struct netboot_config *c, bool proxy, struct buf *out)
{
	buf_addf(out,
		"# First stage: the firmware gets iPXE by TFTP, by its architecture (option 93). "
		"Debian's\n"
		"# package ipxe has the files. %s uses the firmware's own driver of the "
		"interface;\n"
		"# where that is no good, write ipxe.efi. UEFI \"HTTP boot\" (architecture 16) "
		"gets "
		"no file:\n"
		"# choose PXE over IPv4 in the firmware's setup. Secure boot must be off: this "
		"iPXE "
		"is not signed.\n"
		"enable-tftp\n"
		"tftp-root=%s\n"
		"# An iPXE, from a ROM or the first stage, is known by its own option.\n"
		"dhcp-match=set:ipxe,175\n",
		NETBOOT_FILE_UEFI, c->tftp_root);
	if (proxy)
		buf_adds(out,
			"pxe-service=tag:harness,tag:!ipxe,x86PC,\"iPXE\"," NETBOOT_FILE_BIOS "\n"
			"pxe-service=tag:harness,tag:!ipxe,BC_EFI,\"iPXE\"," NETBOOT_FILE_UEFI "\n"
			"pxe-service=tag:harness,tag:!ipxe,X86-64_EFI,\"iPXE\"," NETBOOT_FILE_UEFI
			"\n\n");
	else
		buf_adds(out, "dhcp-match=set:bios,option:client-arch,0\n"
			      "dhcp-match=set:uefi,option:client-arch,7\n"
			      "dhcp-match=set:uefi,option:client-arch,9\n"
			      "dhcp-boot=tag:harness,tag:!ipxe,tag:bios," NETBOOT_FILE_BIOS "\n"
			      "dhcp-boot=tag:harness,tag:!ipxe,tag:uefi," NETBOOT_FILE_UEFI "\n\n");
}

void netboot_config_dnsmasq(
	const struct netboot_config *c, const struct netboot_client *m, size_t n, struct buf *out)
{
	bool proxy = c->format == NETBOOT_DNSMASQ_PROXY;

	dnsmasq_head(c, proxy, out);
	dnsmasq_range(c, proxy, out);
	dnsmasq_first_stage(c, proxy, out);
	buf_addf(out,
		"# Second stage: iPXE asks the harness for the boot script of its machine. While "
		"no run "
		"is\n"
		"# under way nobody answers there, and the firmware goes on to its next boot "
		"device.%s\n",
		proxy ? ""
		      : "\n# id:* gives a machine one address, whichever identifier firmware and "
			"iPXE send.");
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "\n# %s\ndhcp-host=%s,id:*,set:harness,set:harness-%s\n", m[i].name,
			m[i].mac, m[i].name);
		buf_addf(out, "dhcp-boot=tag:harness-%s,tag:ipxe,%s", m[i].name, m[i].url);
		/* iPXE passes over a proxy's offer that names no server, although the address has
		 * one. */
		if (proxy)
			buf_addf(out, ",,%s", c->range ? c->range : c->address);
		buf_addc(out, '\n');
	}
}
