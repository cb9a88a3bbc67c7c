/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times inter-processor work at boot and reports it on the console, then
 * restarts the machine.  Parameters, records and what a receiver must do with
 * them: firmware-images/PROTOCOL.md of the harness project.
 *
 * When it runs matters more than how.  Once system_state is past
 * SYS_STATE_smp_boot, send_IPI_mask() sends to all other CPUs with one write of
 * the "all but self" shorthand, and what the x2APIC mode does with a mask is
 * never called: every mode would measure alike.  Initcalls run in between: all
 * CPUs are online, the shorthand is not in use yet, dom0 is neither built nor
 * needed, and the watchdog has not been started.
 *
 * The file must compile on every tree from 4.17 on, so it leans on few and old
 * interfaces and brings the rest along.
 */
#include <xen/console.h>
#include <xen/cpumask.h>
#include <xen/init.h>
#include <xen/kernel.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/param.h>
#include <xen/shutdown.h>
#include <xen/smp.h>
#include <xen/softirq.h>
#include <xen/time.h>
#include <xen/version.h>

#include <asm/flushtlb.h>
#include <asm/genapic.h>
#include <asm/processor.h>
#include <asm/smp.h>

#define PROBE_VERSION "1.0"
#define NONCE_LEN     32        /* hex digits; the first 8 stand in each record */
#define MAX_TIMINGS   1024      /* samples and warm-up together */
#define MAX_ITERS     100000000
#define MAX_REPEAT    16
#define MAX_RECORD    240       /* bytes, without the console's prefix and newline */
#define MAX_XEN       16        /* bytes of the version that BEGIN has room for */

/* One byte more than what is valid, so that a longer value is seen, not cut. */
static char __initdata hp_nonce[NONCE_LEN + 2];
string_param("hp_nonce", hp_nonce);
static char __initdata hp_work[32] = "flush-all";
string_param("hp_work", hp_work);
static unsigned int __initdata hp_samples = 25;
integer_param("hp_samples", hp_samples);
static unsigned int __initdata hp_iters = 10000;
integer_param("hp_iters", hp_iters);
static unsigned int __initdata hp_warmup = 3;
integer_param("hp_warmup", hp_warmup);
static unsigned int __initdata hp_repeat = 2;
integer_param("hp_repeat", hp_repeat);

struct timing {
    s_time_t ns;
    uint64_t tsc;
};

/* What BEGIN says.  Taken once, so that all passes print the same. */
struct facts {
    char xen[MAX_XEN + 1];
    char build[2 * 20 + 1];
    char apic[20 + 1];
    unsigned int online, present, sockets;
    unsigned long khz;
    bool shorthand;
};

struct workload {
    const char *name;
    void (*run)(unsigned int iterations);
    void (*targets)(cpumask_t *mask); /* the CPUs that a call interrupts */
};

static struct timing __initdata timings[MAX_TIMINGS];
static struct facts __initdata facts;
static cpumask_t __initdata targets, seen;
static unsigned int __initdata seq;

/* CRC-32 as zlib computes it.  Bit by bit: speed does not matter here. */
static uint32_t __init crc32_of(const char *p, size_t len)
{
    uint32_t crc = ~0U;
    unsigned int bit;

    while ( len-- )
    {
        crc ^= (uint8_t)*p++;
        for ( bit = 0; bit < 8; bit++ )
            crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320U : 0);
    }

    return ~crc;
}

static void __init __attribute__((__format__(__printf__, 1, 2)))
record(const char *fmt, ...)
{
    /* Room for " #" and the checksum stays free. */
    static char __initdata line[MAX_RECORD - 10 + 1];
    va_list args;
    int len;

    len = scnprintf(line, sizeof(line), "HPP1 %.8s %u ", hp_nonce, seq++);
    va_start(args, fmt);
    len += vscnprintf(line + len, sizeof(line) - len, fmt, args);
    va_end(args);

    printk(XENLOG_ERR "%s #%08x\n", line, crc32_of(line, len));

    /* A long report at 115200 baud must not starve the timekeeping. */
    process_pending_softirqs();
}

/* Copy what may stand as a value: no space, printable ASCII, never empty. */
static void __init copy_value(char *to, size_t size, const char *from)
{
    size_t i;

    for ( i = 0; from && from[i] && i + 1 < size; i++ )
        to[i] = from[i] > ' ' && from[i] <= '~' ? from[i] : '?';
    if ( !i )
        to[i++] = '-';
    to[i] = '\0';
}

static bool __init nonce_valid(void)
{
    unsigned int i;

    for ( i = 0; hp_nonce[i]; i++ )
        if ( !((hp_nonce[i] >= '0' && hp_nonce[i] <= '9') ||
               (hp_nonce[i] >= 'a' && hp_nonce[i] <= 'f')) )
            return false;

    return i == NONCE_LEN;
}

/* Not the tree's own reader: its name and header have moved between versions. */
static always_inline uint64_t read_tsc(void)
{
    uint32_t low, high;

    asm volatile ( "lfence; rdtsc" : "=a" (low), "=d" (high) :: "memory" );

    return ((uint64_t)high << 32) | low;
}

static unsigned int __init cf_check socket_of(unsigned int cpu)
{
    return cpu_to_socket(cpu);
}

/* 16 x2APIC IDs in a row make a cluster, whatever the driver in use. */
static unsigned int __init cf_check cluster_of(unsigned int cpu)
{
    return cpu_physical_id(cpu) >> 4;
}

/* How many different groups, sockets or clusters, the CPUs of a mask are in. */
static unsigned int __init count_groups(const cpumask_t *mask,
                                        unsigned int (*group_of)(unsigned int))
{
    unsigned int cpu, other, n = 0;

    cpumask_clear(&seen);
    for_each_cpu ( cpu, mask )
    {
        bool known = false;

        for_each_cpu ( other, &seen )
            if ( group_of(other) == group_of(cpu) )
                known = true;
        if ( known )
            continue;
        cpumask_set_cpu(cpu, &seen);
        n++;
    }

    return n;
}

static void __init copy_build_id(void)
{
    const uint8_t *id;
    const void *p;
    unsigned int i, len;

    snprintf(facts.build, sizeof(facts.build), "-");
    if ( xen_build_id(&p, &len) || len > sizeof(facts.build) / 2 )
        return;
    for ( id = p, i = 0; i < len; i++ )
        snprintf(facts.build + 2 * i, 3, "%02x", id[i]);
}

static void __init gather_facts(void)
{
    char xen[64];

    snprintf(xen, sizeof(xen), "%u.%u%s", xen_major_version(),
             xen_minor_version(), xen_extra_version());
    copy_value(facts.xen, sizeof(facts.xen), xen);
    copy_value(facts.apic, sizeof(facts.apic), genapic.name);
    copy_build_id();
    facts.online = num_online_cpus();
    facts.present = num_present_cpus();
    facts.sockets = count_groups(&cpu_online_map, socket_of);
    facts.khz = cpu_khz;
    /* Conservative: from this state on the shorthand may be chosen. */
    facts.shorthand = system_state > SYS_STATE_smp_boot;
}

/* Workloads are not __init: the code that is timed stays where code lives. */

static void cf_check run_flush_all(unsigned int iterations)
{
    while ( iterations-- )
        flush_tlb_all();
}

static void __init cf_check targets_all_but_self(cpumask_t *mask)
{
    cpumask_copy(mask, &cpu_online_map);
    cpumask_clear_cpu(smp_processor_id(), mask);
}

static const struct workload __initconst workloads[] = {
    { "flush-all", run_flush_all, targets_all_but_self },
};

static const struct workload *__init find_workload(const char *name)
{
    unsigned int i;

    for ( i = 0; i < ARRAY_SIZE(workloads); i++ )
        if ( !strcmp(workloads[i].name, name) )
            return &workloads[i];

    return NULL;
}

/* The parameter that cannot be used, or NULL. */
static const char *__init bad_parameter(void)
{
    if ( !nonce_valid() )
        return "nonce";
    if ( !find_workload(hp_work) )
        return "work";
    if ( !hp_samples || hp_samples > MAX_TIMINGS )
        return "samples";
    if ( hp_warmup > MAX_TIMINGS - hp_samples )
        return "warmup";
    if ( !hp_iters || hp_iters > MAX_ITERS )
        return "iters";
    if ( !hp_repeat || hp_repeat > MAX_REPEAT )
        return "repeat";

    return NULL;
}

static void __init take_timings(const struct workload *work)
{
    unsigned int i;

    for ( i = 0; i < hp_warmup + hp_samples; i++ )
    {
        s_time_t ns = NOW();
        uint64_t tsc = read_tsc();

        work->run(hp_iters);

        timings[i].tsc = read_tsc() - tsc;
        timings[i].ns = NOW() - ns;

        /* Timers wait while a sample runs; the clock itself needs them. */
        process_pending_softirqs();
    }
}

static void __init report_work(const struct workload *work)
{
    unsigned int i, n = hp_warmup + hp_samples;

    record("WORK w=%s iters=%u samples=%u warmup=%u cpus=%u clusters=%u",
           work->name, hp_iters, hp_samples, hp_warmup,
           cpumask_weight(&targets), count_groups(&targets, cluster_of));
    for ( i = 0; i < n; i++ )
        record("S w=%s i=%u ns=%"PRId64" tsc=%"PRIu64, work->name, i,
               (int64_t)timings[i].ns, timings[i].tsc);
    record("END w=%s count=%u", work->name, n);
}

static void __init report_begin(void)
{
    seq = 0;
    record("BEGIN nonce=%s probe=" PROBE_VERSION " xen=%s build=%s apic=%s"
           " online=%u present=%u sockets=%u khz=%lu debug=%d shorthand=%d",
           hp_nonce, facts.xen, facts.build, facts.apic, facts.online,
           facts.present, facts.sockets, facts.khz,
           IS_ENABLED(CONFIG_DEBUG), facts.shorthand);
}

/* The rest of a pass.  Passes are the same to the byte, sequence numbers too. */
static void __init report_rest(const struct workload *work, const char *bad,
                               unsigned int repeat)
{
    if ( bad )
        record("ERROR what=%s", bad);
    else
        report_work(work);
    record("DONE records=%u repeat=%u", seq + 1, repeat);
}

static int __init cf_check harness_probe(void)
{
    const struct workload *work = NULL;
    const char *bad;
    unsigned int pass, repeat;

    if ( !hp_nonce[0] )
        return 0;

    bad = bad_parameter();
    if ( !nonce_valid() )
    {
        memset(hp_nonce, '0', NONCE_LEN);
        hp_nonce[NONCE_LEN] = '\0';
    }
    repeat = hp_repeat >= 1 && hp_repeat <= MAX_REPEAT ? hp_repeat : 2;
    gather_facts();

    /*
     * Synchronous, so that no record waits in the console's buffer: when full,
     * that drops what comes next, and what still drains would interrupt the
     * samples.  It also sets aside log level and rate limit.
     *
     * The first pass begins before the timing: whoever watches learns that the
     * hypervisor is up and that the rest may take its time.
     */
    console_start_sync();
    report_begin();
    console_end_sync();

    if ( !bad )
    {
        work = find_workload(hp_work);
        work->targets(&targets);
        take_timings(work);
    }

    console_start_sync();
    for ( pass = 0; pass < repeat; pass++ )
    {
        if ( pass )
            report_begin();
        report_rest(work, bad, repeat);
    }
    console_end_sync();

    machine_restart(0);
}
__initcall(harness_probe);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
