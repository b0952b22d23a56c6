"""Addresses of hosts, and what looks like one: versions, sections, object identifiers,
fingerprints, times. Writes labelled lines (IP_ADDRESS).

    python3 bench/classify/addresses_ip.py SET > FILE.jsonl     # SET: a or b
"""
import ipaddress
import json
import random
import sys

SET = sys.argv[1] if len(sys.argv) > 1 else 'a'
R = random.Random('ip' + SET)


def v4():
    x = R.random()
    if x < .3:
        return f'10.{R.randrange(256)}.{R.randrange(256)}.{R.randrange(256)}'
    if x < .5:
        return f'192.168.{R.randrange(256)}.{R.randrange(256)}'
    if x < .55:
        return R.choice(['127.0.0.1', '0.0.0.0', '8.8.8.8', '1.1.1.1', '255.255.255.0', '169.254.169.254', '9.9.9.9'])
    if x < .62:
        return '.'.join(str(R.randrange(1, 20)) for _ in range(4))  # small numbers all
    return f'{R.randrange(1, 224)}.{R.randrange(256)}.{R.randrange(256)}.{R.randrange(1, 255)}'


def v6():
    x = R.random()
    a = ipaddress.IPv6Address(R.getrandbits(128) & ((1 << 125) - 1) | 1 << 125)
    if x < .25:
        return str(a)
    if x < .4:
        return a.exploded
    if x < .6:
        return str(ipaddress.IPv6Address((0x20010db8 << 96) | R.getrandbits(16) << 80 | R.getrandbits(12)))
    if x < .75:
        return str(ipaddress.IPv6Address((0xfe80 << 112) | R.getrandbits(64)))
    if x < .85:
        return str(ipaddress.IPv6Address((0xfd << 120) | R.getrandbits(40) << 80 | R.getrandbits(16)))
    if x < .9:
        return '::ffff:' + v4()
    if x < .95:
        return '::1'
    return str(a).upper()


def ver():
    return '.'.join(str(R.choice([R.randrange(0, 10), R.randrange(0, 30), R.randrange(0, 4)])) for _ in range(4))


def sect():
    return '.'.join(str(R.randrange(1, 9)) for _ in range(4))


def hexpairs(n, sep=':'):
    return sep.join(f'{R.getrandbits(8):02x}' for _ in range(n))


NAMES = {'a': 'openssl,glibc,Photoshop,nginx,log4j,Acrobat Reader,rails,zlib,Tomcat,Citrix Receiver,WinSCP,curl,kernel,Skype,Java,PowerDVD',
         'b': 'libxml2,Blender,haproxy,Zabbix,Struts,VMware Tools,spring-boot,sqlite,jetty,TeamViewer,FileZilla,wget,firmware image,Webex,Node,Outlook'}[SET].split(',')

# {A} an address, {V6} one of version 6, {v} a version, {s} a section, {n} a program; [..] is the labelled span.
HIT = {'a': ['Accepted publickey for root from [{A}] port 50122 ssh2', 'src=[{A}] dst=[{A}] proto=TCP spt=443', '[{A}] - - [12/Mar/2024:10:11:12 +0000] "GET / HTTP/1.1" 200 512', 'http://[{A}]:8080/health', 'listen [{A}]:80;', '"clientIp": "[{A}]"', '"remote_addr":"[{V6}]"', 'X-Forwarded-For: [{A}], [{A}]', 'route add [{A}/16] via [{A}]', 'allow from [{A}] to [{A}];', 'nameserver [{A}]', 'nameserver [{V6}]', 'inet6 [{V6}%eth0] scopeid 0x20', 'inet [{A}/24] brd [{A}]', 'https://[[{V6}]]:8443/login', 'ping6 [{V6}]', 'PING [{A}] ([{A}]) 56(84) bytes of data.', '[{V6}/64] dev eth1 proto kernel', 'ssh admin@[{A}]', 'The agent on [{A}] runs version {v} of {n}.', 'Host [{A}] is down', 'server [{A}] weight=5;', 'ip: [{A}]', 'Unser Server [{A}] antwortet nicht.', "L'adresse [{A}] est bloquée", 'address=[{V6}],port=53', 'connect to [{A}], build 77', 'lo: [::1/128]', 'default via [{A}] dev wlan0', 'bind [{V6}]:443 ssl', 'fail2ban: Ban [{A}]', '[{A}]\tdb1.internal db1', 'AAAA [{V6}]', 'A [{A}]', 'peer [{A}], remote AS 65001', 'IP ([{A}])', 'rsync://[{A}]/pool', '[{A}],2024-03-01,login', 'scanned from [{A}] to [{A}] on port 22', 'whois [{A}]'],
       'b': ['kex: connection reset by [{A}] port 2222 [preauth]', 'SRC=[{A}] DST=[{A}] LEN=60', 'client [{A}]#53214: query failed', 'ftp://[{A}]/pub', 'upstream: "http://[{A}]:9000"', "{'ip': '[{A}]'}", '"peer": "[[{V6}]]:51820"', 'Received: from mail.example.org ([{A}])', 'ip route [{A}] 255.255.0.0 Null0'.replace('255.255.0.0', '[255.255.0.0]'), 'dig @[{A}] example.org', 'ntp server [{V6}] iburst', 'fe80 gateway [{V6}%en0]', 'subnet [{A}/20]', 'traceroute to [{A}], 30 hops max', 'http://[[{V6}]]/', 'netcat [{A}] 9001', 'VPN pool [{A}]-[{A}]', 'release server [{A}] answered after 3 s', 'version mismatch reported by [{A}]', 'build agent [{A}] went offline', 'section office gateway: [{A}]', 'dst [{V6}/48] metric 1024', 'whitelist=[{A}],[{A}]', 'El equipo [{A}] no responde', 'адрес [{A}] заблокирован', 'sourceIPAddress: [{A}]', 'tcp 0 0 [{A}]:22 [{A}]:51515 ESTABLISHED', '::ffff: mapped [{V6}]'.replace('::ffff: mapped ', 'mapped '), 'PTR for [{A}] missing', 'mysql -h [{A}] -u app', 'User-IP=[{A}]&x=1', '<ip>[{A}]</ip>', 'login from [{A}]; browser {n}/{v}', '[{A}] db.example.org', 'WARN [{A}] too many requests', 'last seen at [{V6}]', 'deny [{A}/32]', 'from="[{A}]"', 'redis://[{A}]:6379/0', 'iface eth0 addr [{A}]']}[SET]
MISS = {'a': ['{n} {v}', '{n}-{v}.tar.gz', '{n} version {v} released', '{n} ({v})', 'Upgrade {n} from {v} to {v}.', '{n}=={v}', '{n}>={v},<{v}', '{n}:{v}', "gem '{n}', '~> {v}'", '<version>{v}</version>', 'Version={v}, Culture=neutral', '[assembly: AssemblyVersion("{v}")]', '{n}/{v}', '"version": "{v}"', 'v{v}', '{n} {v}-1ubuntu{d}', 'Firmware {v}', 'BIOS {v} installed', '{s} Scope of delivery', 'see section {s}', 'siehe Abschnitt {s}', 'Table {s}: costs', '§ {s} Abs. 2', 'OID {o}', '{o} is the identifier', 'Fingerprint {f}', 'EUI-64 {e}', 'at {t}', 'ratio 1:2:3:4', 'Foo::Bar2::baz', 'std::get<1>(x)', 'lib{n}.so.{v}', 'app_{v}.exe', '{n} build {v}', 'Fixed in {v} and {v}', '- {n} {v} (security)', '{n} release {v}', '{s}. Introduction', 'a::before { }', 'FW: {v} HW: {v}'],
        'b': ['running {n} {v} on Linux', '{n}_{v}_amd64.deb', 'requires {n} {v} or later', '* {n}: {v}', 'bump {n} to {v}', '{n} = "{v}"', '{n}@{v}', 'implementation "org.x:{n}:{v}"', '{n} ({v})\n', 'PackageReference Include="{n}" Version="{v}"', 'FileVersion {v}', 'ProductVersion: {v}', 'rev. {v}', '"{n}": "^{v}"', 'tag {v}', 'Patch level {v}', 'driver {v} WHQL', 'app version: {v}', 'chapter {s}', 'clause {s} applies', 'according to {s} of the standard', 'Anhang {s}', 'Kapitel {s} und {s}', 'Article {s}', 'MIB .{o}', 'snmpwalk {o}', 'sha1 {f}', 'guid {e}', 'duration {t}', 'score 3:2:1:0', 'Rust core::fmt::Write2', 'DBI::db=HASH(0x1)', '{n}-{v}-sources.jar', 'setup_{v}.msi', 'nightly {v}', 'since {v}', 'deprecated as of {v}', 'ImageMagick convert {v}', '{s} Requirements\n{s} Tests', 'SDK {v}, {n} {v}']}[SET]


def oid():
    return '1.3.6.1' + ''.join(f'.{R.randrange(1, 400)}' for _ in range(R.randrange(0, 5)))


def fill(t):
    for k, f in (('{A}', v4), ('{V6}', v6), ('{v}', ver), ('{s}', sect), ('{o}', oid), ('{t}', lambda: f'{R.randrange(24):02}:{R.randrange(60):02}:{R.randrange(60):02}'),
                 ('{f}', lambda: hexpairs(R.choice([8, 16, 20]))), ('{e}', lambda: hexpairs(8)), ('{d}', lambda: str(R.randrange(9))), ('{n}', lambda: R.choice(NAMES))):
        while k in t:
            t = t.replace(k, f(), 1)
    return t


for i in range(1600):
    rule = R.choice(HIT if i % 2 else MISS)
    t = fill(rule)
    out, spans, at = '', [], None
    k = 0
    while k < len(t):
        if t[k] == '[' and '[{' in rule or t[k] == '[' and any(x in rule for x in ('[::1', '[255')):
            j = t.find(']', k)
            inner = t[k + 1:j]
            if inner and inner[0] not in '[' and all(c in '0123456789abcdefABCDEF.:/%ethn' for c in inner) and ('.' in inner or ':' in inner):
                label = '::1' if inner[:4] in ('::1/', '::1%') else inner  # zone and prefix of the loopback say nothing
                spans.append({'start': len(out.encode()), 'end': len((out + label).encode()), 'type': 'IP_ADDRESS'})
                out += inner
                k = j + 1
                continue
        out += t[k]
        k += 1
    print(json.dumps({'id': f'{SET}{i}', 'text': out, 'spans': spans, 'rule': rule[:40]}, ensure_ascii=False))
