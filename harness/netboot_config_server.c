/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to add to a DHCP server that is there already. */
#include "harness/netboot_config_int.h"

/* How to have TFTP on this host, for servers that bring none. */
static void server_tftp(const char *comment, struct buf *out)
{
	buf_addf(out,
		"%s The firmware gets iPXE by TFTP from next-server: " NETBOOT_FILE_BIOS
		" and " NETBOOT_FILE_UEFI ", of\n"
		"%s Debian's package ipxe. Any TFTP server will do; with dnsmasq, as root,\n"
		"%s   dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 --enable-tftp "
		"\\\n"
		"%s           --tftp-root=" NETBOOT_TFTP_ROOT
		" --interface=NAME --except-interface=lo --bind-interfaces\n"
		"%s UEFI \"HTTP boot\" (architecture 16) gets no file: choose PXE over IPv4 in the "
		"firmware's setup.\n"
		"%s While no run is under way nobody answers at the address that iPXE gets, and "
		"the "
		"firmware\n"
		"%s goes on to its next boot device.\n",
		comment, comment, comment, comment, comment, comment, comment);
}

void netboot_config_dhcpd(const struct netboot_client *m, size_t n, struct buf *out)
{
	buf_adds(out,
		"# Lab machines of the harness netboot through this, with an ISC DHCP server. In "
		"dhcpd.conf,\n"
		"# outside of all braces:\n"
		"#   include \"/etc/dhcp/harness.conf\";\n"
		"# Check it with dhcpd -t. Nothing changes for other machines, nor which addresses "
		"are given.\n"
		"# A \"filename\" in a host declaration of such a machine would win over this.\n"
		"#\n");
	server_tftp("#", out);
	buf_adds(out, "\nclass \"harness\" {\n\tmatch hardware;\n}\n");
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "\n# %s\nsubclass \"harness\" 1:%s {\n", m[i].name, m[i].mac);
		if (m[i].server[0])
			buf_addf(out, "\tnext-server %s;\n", m[i].server);
		buf_addf(out,
			"\tif exists user-class and option user-class = \"iPXE\" {\n"
			"\t\tfilename \"%s\";\n"
			"\t} elsif exists pxe-system-type and option pxe-system-type = 00:00 {\n"
			"\t\tfilename \"" NETBOOT_FILE_BIOS "\";\n"
			"\t} elsif exists pxe-system-type and (option pxe-system-type = 00:07 or\n"
			"\t\t\toption pxe-system-type = 00:09) {\n"
			"\t\tfilename \"" NETBOOT_FILE_UEFI "\";\n"
			"\t}\n"
			"}\n",
			m[i].url);
	}
}

/* One class: what holds for this machine besides its address, and what it boots then. */
static void kea_class(const struct netboot_client *m, const char *kind, const char *test,
	const char *file, struct buf *out)
{
	buf_addf(out, "{\n\t\"name\": \"harness-%s-%s\",\n\t\"test\": \"pkt4.mac == 0x", m->name,
		kind);
	for (const char *p = m->mac; *p; p++)
		if (*p != ':')
			buf_addc(out, *p);
	buf_addf(out, " and %s\",\n", test);
	if (m->server[0])
		buf_addf(out, "\t\"next-server\": \"%s\",\n", m->server);
	buf_addf(out, "\t\"boot-file-name\": \"%s\"\n}", file);
}

void netboot_config_kea(const struct netboot_client *m, size_t n, struct buf *out)
{
	buf_adds(out,
		"// Lab machines of the harness netboot through this, with Kea. In "
		"kea-dhcp4.conf, in \"Dhcp4\":\n"
		"//   \"client-classes\": [ <?include \"/etc/kea/harness.json\"?> ],\n"
		"// beside classes that are there already, with a comma between. Check it with "
		"kea-dhcp4 -t.\n"
		"// Nothing changes for other machines, nor which addresses are given. A "
		"\"boot-file-name\" in a\n"
		"// reservation of such a machine would win over this.\n"
		"//\n");
	server_tftp("//", out);
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s\n// %s\n", i ? "," : "", m[i].name);
		kea_class(&m[i], "ipxe", "option[175].exists", m[i].url, out);
		buf_adds(out, ",\n");
		kea_class(&m[i], "bios", "not option[175].exists and option[93].hex == 0x0000",
			NETBOOT_FILE_BIOS, out);
		buf_adds(out, ",\n");
		kea_class(&m[i], "uefi",
			"not option[175].exists and (option[93].hex == 0x0007 or option[93].hex == "
			"0x0009)",
			NETBOOT_FILE_UEFI, out);
	}
	buf_addc(out, '\n');
}
