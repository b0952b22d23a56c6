"""Writes labelled numbers and identifiers in their many spellings: telephone numbers, cards, IBANs,
IP and MAC addresses, e-mail addresses, SSNs, health, driving and passport numbers, national ids of 22
countries, and look-alikes that are none. Check digits are computed here, not by the recognisers.

Usage: python ids.py DIRECTORY
Writes KIND_a.jsonl and KIND_b.jsonl, which were worked on, and KIND_c.jsonl, of other wordings, which
was written and run once after that work.
"""
import json, random, re, sys

D = lambda n: ''.join(random.choice('0123456789') for _ in range(n))
A = lambda n: ''.join(random.choice('ABCDEFGHJKLMNPRSTUVWXYZ') for _ in range(n))
def luhn(s):
    t = 0
    for i, c in enumerate(reversed(s)):
        d = int(c) * (1 if i % 2 else 2)
        t += d - 9 if d > 9 else d
    return s + str(-t % 10)
def fill(p):
    """# any digit, N 2-9, @ a letter; the rest as it is."""
    return ''.join(D(1) if c == '#' else random.choice('23456789') if c == 'N' else A(1) if c == '@' else c for c in p)
def group(s, *sizes, sep=' '):
    out, i = [], 0
    for n in sizes: out.append(s[i:i + n]); i += n
    return sep.join(o for o in out + [s[i:]] if o)

# ---- telephone numbers: forms by country, most of them numbers that can exist
PHONES = {
 'US': ['(NPA) 2##-####', 'NPA-3##-####', 'NPA.5##.####', '+1 NPA 4## ####', '1-NPA-6##-####', '+1 (NPA) 7##-####', 'NPA 2## ####', '+1NPA8######', '001-NPA-5##-####', '1 (800) 2##-####', '1-800-FLOWERS'],
 'UK': ['020 7### ####', '07700 9#####', '+44 20 7### ####', '(0161) 4## ####', '+44 7911 ######', '0044 7911 ######', '+44 (0)20 7### ####', '01865 2#####', '0800 0## ####', '07911 ######'],
 'DE': ['030 9######', '0151 2#######', '+49 30 9######', '+49 (0)89 2######', '089/2######', '0221-2######', '(040) 3######', '0049 171 2######', '+49 171 2######', '0171/2######', '069 9##-##'],
 'FR': ['01 42 ## ## ##', '06.12.##.##.##', '+33 6 12 ## ## ##', '0612######', '+33 (0)1 42 ## ## ##', '04-72-##-##-##', '0033 6 12 ## ## ##', '01.45.##.##.##'],
 'ES': ['612 ### ###', '91 4## ## ##', '+34 612 ### ###', '93 4## ## ##', '0034 612 ## ## ##', '+34 91 4## ## ##', '612 ## ## ##'],
 'IT': ['06 6######', '347 ### ####', '+39 347 ### ####', '02 8######', '+39 06 6######', '347/#######', '011-5######'],
 'NL': ['020 6## ####', '06 12######', '+31 6 12## ## ##', '010-4######', '+31 (0)20 6## ####', '06-2#######'],
 'BE': ['02 5## ## ##', '0470 ## ## ##', '+32 470 ## ## ##', '0475/##.##.##', '03 2## ## ##', '+32 2 5## ## ##'],
 'PL': ['22 6## ## ##', '601 ### ###', '+48 601 ### ###', '12 4## ## ##', '+48 22 6## ## ##', '501-###-###'],
 'SE': ['08-12# ### ##', '070-123 ## ##', '+46 70 123 ## ##', '+46 8 12# ### ##', '0701-23 ## ##', '031-12 ## ##'],
 'CH': ['044 2## ## ##', '079 2## ## ##', '+41 44 2## ## ##', '+41 79 2## ## ##', '022 7## ## ##', '0041 44 2## ## ##'],
 'AT': ['01 5######', '0664 1######', '+43 1 5######', '+43 664 1######', '0316/8#####'],
 'PT': ['21 3## ## ##', '912 ### ###', '+351 912 ### ###', '22 2## ## ##', '+351 21 3## ####'],
 'BR': ['(11) 98###-####', '(21) 2###-####', '+55 11 98###-####', '11 98### ####', '+55 (31) 3###-####', '0800 7## ####'],
 'MX': ['55 5### ####', '+52 55 5### ####', '(33) 36## ####', '81 83## ####', '+52 1 55 4### ####'],
 'AU': ['02 9### ####', '0412 ### ###', '+61 412 ### ###', '(03) 9### ####', '+61 2 9### ####', '1300 6## ###'],
 'CA': ['(416) 5##-####', '514-3##-####', '+1 604 6## ####', '613.2##.####'],
 'IN': ['98### #####', '+91 98### #####', '022 2### ####', '+91-98########', '098########', '+91 80 2### ####', '9876######'],
 'JP': ['03-3###-####', '090-1###-####', '+81 3 3### ####', '06-6###-####', '+81-90-1###-####', '0120-###-###'],
 'TR': ['0212 2## ## ##', '0532 ### ## ##', '+90 532 ### ## ##', '(0312) 4## ## ##', '+90 212 2## ## ##', '0 532 ### ## ##'],
 'CN': ['138 #### ####', '+86 138 #### ####', '010-6#######', '021 5### ####'],
 'KR': ['010-2###-####', '02-7##-####', '+82 10-2###-####', '+82 2 7## ####'],
 'RU': ['8 (495) 2##-##-##', '+7 916 ###-##-##', '+7 (495) 2## ## ##', '8-916-###-##-##'],
 'UA': ['+380 67 ### ## ##', '(044) 2##-##-##', '067 ### ## ##'], 'ZA': ['011 4## ####', '082 4## ####', '+27 82 4## ####', '+27 11 4## ####'], 'NG': ['0803 ### ####', '+234 803 ### ####'],
 'KE': ['0722 ######', '+254 722 ######'], 'EG': ['010 0### ####', '+20 100 ### ####'], 'SA': ['050 1## ####', '+966 50 1## ####'], 'AE': ['050 1## ####', '+971 50 1## ####', '04 3## ####'],
 'IL': ['03-6######', '052-2######', '+972 52-2######'], 'GR': ['210 3######', '694 #######', '+30 210 3######'], 'DK': ['33 1# ## ##', '+45 33 1# ## ##', '2012 ####'], 'NO': ['22 1# ## ##', '+47 22 1# ## ##', '912 ## ###'],
 'FI': ['09 1######', '040 1######', '+358 40 1######', '050-5######'], 'IE': ['01 6## ####', '087 2## ####', '+353 87 2## ####', '(01) 6## ####'], 'CZ': ['601 ### ###', '+420 601 ### ###', '224 ### ###'], 'HU': ['06 1 2## ####', '+36 20 2## ####', '06-30-2##-####'],
 'RO': ['021 2## ####', '0721 ### ###', '+40 721 ### ###'], 'SG': ['6### ####', '9### ####', '+65 9### ####'], 'MY': ['03-2### ####', '012-3## ####', '+60 12-3## ####'], 'ID': ['021 5## ####', '0812 #### ####', '+62 812 #### ####'], 'TH': ['02 2## ####', '081 2## ####', '+66 81 2## ####'],
 'PH': ['0917 ### ####', '+63 917 ### ####', '(02) 8### ####'], 'VN': ['0912 ### ###', '+84 912 ### ###'], 'NZ': ['09 3## ####', '021 4## ###', '+64 21 4## ###'], 'AR': ['011 4###-####', '+54 11 4###-####', '+54 9 11 5###-####'], 'CL': ['9 6### ####', '+56 9 6### ####', '2 2### ####'], 'CO': ['310 ### ####', '+57 310 ### ####', '601 2## ####'],
 'PK': ['0300 #######', '+92 300 #######'], 'BD': ['01711 ######', '+880 1711 ######'], 'HK': ['2### ####', '+852 9### ####'], 'TW': ['02-2###-####', '0912-###-###', '+886 912 ### ###'],
}
AREA = ['212', '415', '305', '617', '312', '503', '206', '404', '713', '646']
PL = {'US': 'en', 'UK': 'en', 'AU': 'en', 'CA': 'en', 'IN': 'en', 'IE': 'en', 'NZ': 'en', 'ZA': 'en', 'DE': 'de', 'AT': 'de', 'CH': 'de', 'FR': 'fr', 'BE': 'fr', 'ES': 'es', 'MX': 'es', 'AR': 'es', 'CL': 'es', 'CO': 'es', 'IT': 'it', 'NL': 'nl', 'PL': 'pl', 'SE': 'sv', 'PT': 'pt', 'BR': 'pt', 'TR': 'tr', 'RU': 'ru'}
PT = {
 'en': (["Call me on {V} after six.", "My number is {V}.", "Phone: {V}", "you can reach me at {V} or by mail", "I tried {V} twice, nobody picked up", "Contact: Ann, {V}", "Mobile {V}", "text {V} when you are there", "Office {V}, home {V}", "{V}", '{{"phone":"{V}"}}', "name,phone\nAnn,{V}\n", "Fax: {V}", "ring {V} for the keys", "whatsapp {V}"],
        ["The plumber's number: {V}", "Please phone {V} tomorrow", "Tel {V} / Fax {V}", "his cell is {V}", "Dial {V} and ask for Bob", "Reception can be reached under {V}", "If it fails again, give us a ring: {V}", "customer left {V} as callback", '{{"contact_number": "{V}", "id": 5}}', "Kind regards\nAnn Smith\n{V}", "Hotline {V} (24h)", "sms to {V} failed", "emergency contact {V}", "Is {V} still your number?", "T: {V}\nM: {V}\n"]),
 'de': (["Rufen Sie mich unter {V} an.", "Telefon: {V}", "meine Handynummer ist {V}", "Mobil {V}"], ["Tel.: {V}", "Sie erreichen uns unter {V}.", "Durchwahl {V}", "bitte um Rückruf {V}"]),
 'fr': (["Appelez-moi au {V}.", "Tél. : {V}", "mon numéro est le {V}"], ["Joignable au {V}", "Portable : {V}", "rappelez le {V} svp"]),
 'es': (["Llámame al {V}.", "Teléfono: {V}", "mi número es {V}"], ["Móvil: {V}", "Tel. {V}", "puede llamar al {V}"]),
 'it': (["Chiamami al {V}.", "Telefono: {V}", "il mio numero è {V}"], ["Cell. {V}", "Tel. {V}", "mi trova al {V}"]),
 'nl': (["Bel me op {V}.", "Telefoon: {V}"], ["Mobiel: {V}", "mijn nummer is {V}"]), 'pl': (["Proszę dzwonić pod {V}.", "Telefon: {V}"], ["tel. kom. {V}", "mój numer to {V}"]), 'sv': (["Ring mig på {V}.", "Telefon: {V}"], ["Mobil: {V}", "mitt nummer är {V}"]),
 'pt': (["Ligue para {V}.", "Telefone: {V}"], ["Celular: {V}", "meu número é {V}"]), 'tr': (["Beni {V} numarasından arayın.", "Telefon: {V}"], ["Cep: {V}", "Tel: {V}"]), 'ru': (["Позвоните мне: {V}", "Телефон: {V}"], ["тел. {V}", "мой номер {V}"]),
}
EXT = ['', '', '', '', '', '', '', '', ' ext. 12', ' x345', ' ext 7', ' extension 21']
NOPHONE = (["Order 20231{n4}, invoice {n6}.", "built 2024-03-12 10:22:31", "ticket {n7}", "pid {n5}, tid {n6}", "range 100-200-300", "ISBN 978-3-16-148410-0", "part no. 44-1234-567", "timestamp 1712{n6}", "took {n3}.{n6} s", "Article {n3}.{n3}.{n4}", "sha 8f14e45fceea167a5a36dedd4bea2543", "lat 52.{n5}, lon 13.{n5}", "Rev. 1.{n2}.{n4}", "0x7ffd{n4}", "Total 12 345 678,90 EUR", "scores 21 34 55 89 144", "uuid 550e8400-e29b-41d4-a716-4466554{n5}", "SKU 100-{n4}-{n2}", "tracking 1Z999AA1012345{n4}", "port 8080-8090", "2019/2020 2021/2022", "commit 1234567", "page 123 456"],
           ["Account balance 1 234 567", "flight 2024 11 21 0930", "case no. {n3}-{n2}-{n4}", "batch 20240{n3}-{n4}", "{n4}-{n4}-{n4}-{n4} tokens", "id={n10}", "offset {n8} len {n4}", "IMEI 35{n6}{n6}", "RFC 2616 section 14.{n2}", "population 8 336 817 in 2020", "row {n3} {n3} {n4}", "version 115.0.{n4}.{n3}", "EAN 4006381333931", "DOI 10.1000/182{n4}", "zip 02139-{n4}", "Ref {n9}", "2024-11-21T09:30:12.{n6}Z", "pi is 3.14159265358", "1024 2048 4096 8192", "GET /v1/items/{n8} 200 {n4}"])

# ---- other kinds
def card():
    k = random.choice(['4', '51', '2221', '2720', '34', '37', '6011', '65', '35', '36', '5018', '62', '4', '55'])
    n = {'34': 15, '37': 15, '36': 14}.get(k, 16)
    s = luhn(k + D(n - 1 - len(k)))
    x = random.random()
    sep = random.choice([' ', '-', '\u00a0', ' '])
    if x < .45: return s
    return group(s, 4, 6, 5, sep=sep) if n == 15 else group(s, 4, 6, 4, sep=sep) if n == 14 else group(s, 4, 4, 4, 4, sep=sep)
BBAN = {'DE': '##################', 'GB': '@@@@##############', 'FR': '##########@@@##########', 'ES': '####################', 'IT': '@######################', 'NL': 'ABNA##########', 'BE': '############', 'PL': '########################', 'SE': '####################', 'CH': '#################', 'AT': '################', 'PT': '#####################', 'IE': 'AIBK##############', 'DK': '##############', 'NO': '###########', 'FI': '##############', 'CZ': '####################', 'TR': '######################', 'GR': '#######################', 'RO': 'AAAA################', 'SA': '####################', 'AE': '###################', 'IL': '###################', 'MT': 'MALT#####000###############', 'LU': '################', 'HU': '########################', 'HR': '#################'}
def iban():
    c = random.choice(list(BBAN)); b = fill(BBAN[c])
    n = int(''.join(str(int(x, 36)) for x in b + c + '00'))
    s = c + '%02d' % (98 - n % 97) + b
    x = random.random()
    if x < .4: return s
    if x < .7: return ' '.join(s[i:i + 4] for i in range(0, len(s), 4))
    if x < .8: return '\u00a0'.join(s[i:i + 4] for i in range(0, len(s), 4))
    if x < .87: return s.lower()
    if x < .94: return '-'.join(s[i:i + 4] for i in range(0, len(s), 4))
    return '.'.join(s[i:i + 4] for i in range(0, len(s), 4))
def v4(): return '.'.join(str(random.choice([10, 192, 172, 8, 203, 81, 45, random.randint(1, 223)]) if i == 0 else random.randint(0, 255)) for i in range(4))
def v6():
    h = lambda: '%x' % random.randint(1, 65535)
    return random.choice([lambda: '2001:db8::' + h(), lambda: 'fe80::' + ':'.join(h() for _ in range(4)), lambda: ':'.join(h() for _ in range(8)), lambda: '2a00:1450:' + h() + ':' + h() + '::' + h(), lambda: '::ffff:' + v4(), lambda: ':'.join('%04X' % random.randint(0, 65535) for _ in range(8)), lambda: '::1', lambda: h() + '::' + h()])()
def mac():
    b = ['%02x' % random.randint(0, 255) for _ in range(6)]
    return random.choice([lambda: ':'.join(b), lambda: '-'.join(b).upper(), lambda: '.'.join(''.join(b)[i:i + 4] for i in (0, 4, 8)), lambda: ':'.join(b).upper()])()
W = ['maria', 'john.smith', 'k_weber', "o'neil", 'a.b.c', 'info', 'sales', 'j-doe', 'x', 'tom99', 'élodie', 'müller', '1234', 'first.last+tag', 'ann+news', '"john doe"', 'r&d', 'user%test']
H = ['example.com', 'mail.example.co.uk', 'bücher.example', 'xn--bcher-kva.example', 'a-b.example.org', 'host.museum', 'corp.internal.io', 'firma.de', 'münchen.de', 'sub.sub2.uni-koeln.de', 'x.ai', '例え.jp']
def email(): return random.choice(W) + '@' + random.choice(H)
def hidden():
    u, h = random.choice(['maria', 'john.smith', 'k_weber', 'tom99']), random.choice(['example', 'gmail', 'firma'])
    return random.choice(['{u} [at] {h} [dot] com', '{u}(at){h}(dot)com', '{u} at {h} dot com', '{u}[at]{h}.com', '{u} (at) {h}.com', '{u} AT {h} DOT com', '{u} <at> {h} <dot> com', '{u}@{h} [dot] com']).format(u=u, h=h)
def ssn():
    a = random.choice([x for x in range(1, 773) if x != 666])
    return '%03d-%02d-%04d' % (a, random.randint(1, 99), random.randint(1, 9999))
def npi(): return luhn('80840' + random.choice('12') + D(8))[5:]
def dea():
    l, d = random.choice('ABFMP') + random.choice('ABCDEFGHKLMNPRST'), D(6)
    t = sum(map(int, d[0::2])) + 2 * sum(map(int, d[1::2]))
    return l + d + str(t % 10)

KINDS = {
 'CREDIT_CARD': (card, ["Card number {V}, exp 12/27", "paid with {V}", "charge my visa {V} please", "{V}", '{{"pan":"{V}"}}', "cc: {V} cvv 123", "id;card\n1;{V}\n", "Kreditkarte {V}", "carte bancaire {V}", "my amex ending was declined: {V}"],
   ["The refund goes to {V}", "Mastercard {V} valid thru 09/28", "tarjeta {V}", "carta di credito n. {V}", "payment_method=card&number={V}&exp=0129", "kartennr. {V}, Inhaber Weber", "Please debit {V} for the room.", "[{V}]", "He read out {V} on the call"],
   ["IMEI 49015420323751{n1}", "order 4{n6}{n3}", "epoch 1712{n6}{n3}", "+44 20 7946 0958 2", "uuid 41111111-1111-4111-8111-{n6}{n6}", "tracking 9400 1{n3} {n4} {n4} {n4} {n2}", "0.4539{n6}{n6}", "+49 171 2345678 90", "trace 4{n6}{n6}{n3}", "EAN 4006381333931", "ISSN 0378-5955 4111"],
   ["balance 4111 1111 euros", "build 5105105105{n6}", "span_id={n6}{n6}{n4}", "+1 415 555 2671 333 22", "nonce {n6}{n6}{n3}", "Steam id 76561198{n6}{n3}", "tweet 15{n6}{n6}{n5}", "+34 612 345 678 901 2", "meter {n8} {n8}", "1234 5678 9012 3456"]),
 'IBAN_CODE': (iban, ["IBAN: {V}", "Please transfer to {V} by Friday.", "{V}", '{{"iban":"{V}"}}', "Konto {V}", "acct,{V},open", "Virement sur {V}."], ["Bitte überweisen Sie den Betrag auf {V}, danke", "account {V} (EUR)", "beneficiary_iban={V}&amount=20", "bonifico su {V}", "BIC COBADEFF, {V}", "The wire to {V} bounced"],
   ["GB00 ABCD {n4} {n4} {n4} {n2}", "DE{n2} bytes", "ref FR{n6}{n4}", "SE12 {n4}"], ["NL00RABO0123456789", "code ES{n8}", "IT support 24", "de89 percent"]),
 'IP_ADDRESS': (lambda: random.choice([v4, v6, v6])(), ["Connection from {V} refused", "ping {V}", "http://{V4}:8080/x", "http://[{V6}]:8080/x", "route {V4}/24 via {V4}", "prefix {V6}/64", "{V6}%eth0 is up", '{{"client_ip":"{V}"}}', "{V} - - [10/Oct/2000:13:55:36] \"GET /\"", "server {V4}:443,", "x-forwarded-for: {V}, {V}", "host={V}", "{V}"],
   ["peer [{V6}]:443 closed", "inet6 {V6}/128 scope host", "inet {V4} netmask", "blocked {V} after 5 tries", "({V})", "src={V} dst={V}", "dig @{V4} example.com", "listen on [{V6}%wlan0]:80", "A record -> {V4}.", "remote ip was {V}!", "{V4};{V4}", "ssh root@{V4}", "AAAA {V6}"],
   ["version 10.0.19041.1{n3}", "std::string x", "at 12:30:45", "a::b::c", "1.2.3.4.5", "section 1.2.3.4 of the act", "10:20:30:40", "v1.2.3.4", "std::dead::beef"],
   ["Rust: Vec::new()", "firmware 4.16.200.1", "ratio 1:2:3:4", "OID 1.3.6.1.4.1.311", "cafe::add(1)", "00:01:02,345 --> 00:01:05", "chapter 3.1.2.1", "Chrome/115.0.5790.102", "abc::def"]),
 'MAC_ADDRESS': (mac, ["MAC {V}", "device {V} joined", "arp: {V}", "{V}"], ["ether {V} txqueuelen", "lease for {V} expired", '{{"hwaddr":"{V}"}}', "bssid={V}"], ["12:34:56", "2024.0312.1022", "1234.5678.9012", "00:11:22:33"], ["aabb.ccdd", "10:20:30:40:50", "1111.2222.3333 units", "abcd.efgh.ijkl"]),
 'EMAIL_ADDRESS': (lambda: email() if random.random() < .75 else hidden(), ["Write to {V}.", "<{V}>", "mail {V}, please", "{V}", '{{"mail":"{V}"}}', "a,{V},b", "contact: {V};", "My address is {V}!", "({V})", "from {V} on Monday"], ["reach me: {V}", "mailto:{E}?subject=x", "To: Ann <{E}>, {E}", "user={E}&x=1", "Ask {V} about it", "[{E}](mailto:{E})", "send cv to {V} by friday", "login '{E}' failed", "cc={E};", "\u201e{E}\u201c"],
   ["git@github.com:owner/repo.git", "logo@2x.png", "foo@bar", "@handle", "look at this dot com bubble", "we meet at noon", "pkg@1.2.3", "arrive at example", "a @ b"],
   ["npm i left-pad@1.3.0", "x@y", "he is at home", "user@localhost:/tmp", "stare at the dot matrix", "ssh-ed25519@openssh", "actions/checkout@v4", "good at dot painting", "array@index"]),
 'US_SSN': (ssn, ["SSN: {V}", "my social security number is {V}", "{V}", '{{"ssn":"{V}"}}', "social {V} dob 1/2/80", "SSN {S}", "social security no. {S}", "ssn={P}", "Social Security #{T}", "SSN ending in {L}", "last four of your SSN: {L}", "last 4 of social {L}"],
   ["Her SS# is {V}.", "taxpayer {V} filed late", "soc sec {V}", "social security number: {S}", "employee_ssn,{P}", "SSN/TIN {V}", "the SSN on file is {T}", "last four digits of my social security number are {L}", "SSN (last 4): {L}", "verify SSN {M}", "{M} is his SSN", "name,ssn\nBob,{V}\n"],
   ["000-12-3456", "666-12-3456", "123-00-4567", "part 123-456-789", "2024-11-21", "order 12-345-6789", "room 1234", "phone 415-555-2671", "zip 12345-6789"],
   ["900-12-3456", "123-45-0000", "code 1234", "987-654-321", "ean 123456789", "ticket 123456789", "the last four digits of the card are 1234", "lot 123-4-56789", "sku 12-3456789"]),
 'MRN': (lambda: random.choice([D(8), '00' + D(6), D(7), D(6), fill('@#######'), group(D(6), 2, 2, 2, sep='-'), fill('@@######'), D(10)]),
   ["MRN: {V}", "Medical Record No. {V}", "medical record number is {V}", "Patient ID: {V}", "chart # {V}", "MRN {V}, admitted", "pt MRN#{V}", '{{"mrn":"{V}"}}', "Patient Nr. {V}", "Patientennummer: {V}", "Chart No: {V}", "hospital number {V}", "numéro de dossier médical {V}", "historia clínica nº {V}"],
   ["Med Rec #: {V}", "(MRN {V})", "patient_id={V}", "The patient (ID {V}) was seen today", "Medical Record Number: {V}", "Patient No: {V}", "Hospital No. {V}", "Health record number {V}", "chart number: {V}", "Patienten-ID {V}", "N° patient : {V}", "NHC {V}", "cartella clinica n. {V}", "patiëntnummer {V}", "prontuário {V}", '{{"medicalRecordNumber":"{V}"}}', "Unit record number: {V}", "record #{V} for patient Smith"],
   ["patient 3 of 12", "chart 5 shows growth", "record number of visitors", "medical records were sent in 2021", "Patient since 2015", "see chart 1234", "patient id is missing", "top of the charts 1999"],
   ["the patient waited 45 minutes", "patients: 120394", "a record 12000000 sold", "medical record 2019 to 2021", "chart.js 2.9.4", "patient number two", "hospital number of beds", "record no. is required"]),
 'US_NPI': (npi, ["NPI {V}", "NPI: {V}", "NPI# {V}", "National Provider Identifier {V}", '{{"npi":"{V}"}}', "provider NPI is {V}"], ["NPI No. {V}", "Rendering provider {V} (NPI)", "npi={V}", "National Provider ID: {V}", "NPI number: {V}", "Dr. Lee, NPI-{V}"],
   ["id 1234567890", "phone 1415555267", "NPI is required", "npi lookup"], ["1{n9}x", "order 2{n9}a", "NPI pending", "no npi given"]),
 'MEDICAL_LICENSE': (dea, ["DEA {V}", "DEA number: {V}", "DEA# {V}"], ["prescriber DEA No. {V}", "(DEA: {V})", "DEA registration {V}"], ["DEA agents", "AB1234567 part"], ["dea raid 1234567", "code FA9999999"]),
 'HEALTH_INSURANCE_ID': (lambda: random.choice([fill('@@@#########'), D(9), fill('@########'), D(10), fill('@@@##@######')]),
   ["Member ID: {V}", "insurance member id {V}", "Subscriber ID {V}", "health insurance number: {V}", "Policy holder, member number {V}, Aetna", "Insurance ID {V}"],
   ["Member #: {V} (Blue Cross)", "subscriber number {V}", "Health plan ID: {V}", "health insurance policy no. {V}", "insured's ID {V}", "beneficiary number {V}, health plan"],
   ["member 12 of the team", "policy of 2020"], ["insurance costs 1200", "subscriber 55"]),
 'PASSPORT': (lambda: random.choice([D(9), fill('@########'), fill('@@#######'), fill('##@@#####'), fill('@@@######'), fill('@#######'), 'C01X00T47', 'L8ZNG' + D(4)]),
   ["passport number {V}", "Passport No: {V}", "Reisepass {V}", "Reisepassnummer: {V}", "passeport n° {V}", "pasaporte {V}", "passaporto n. {V}", "paspoortnummer {V}", "numer paszportu {V}", "Passnummer {V}", '{{"passport_number":"{V}"}}', "US passport {V}"],
   ["my passport is {V}", "Passport #{V}", "Pass-Nr. {V}", "numéro de passeport : {V}", "número de pasaporte {V}", "numero di passaporto {V}", "paspoort {V}", "paszport nr {V}", "passaporte nº {V}", "passport_no={V}", "travelling on passport {V}", "pas nr. {V} (paspoort)"],
   ["passport photos 45", "passport control 2024", "passport.js 0.6", "passport renewed in 2019"], ["passport valid until 2030", "passport office 12", "two passports 2", "passport page 14"]),
 'DRIVER_LICENSE': (lambda: random.choice([fill('@#######'), D(8), D(9), fill('@###-####-####'), fill('@############'), fill('@@######'), D(7), fill('B######'), fill('##@@#####')]),
   ["driver's license {V}", "driver license number: {V}", "DL# {V}", "driving licence {V}", "Führerscheinnummer {V}", "permis de conduire {V}", "licencia de conducir {V}", "patente di guida {V}", "rijbewijs {V}", "prawo jazdy {V}", "körkort {V}", '{{"driver_license":"{V}"}}'],
   ["DL no. {V}", "drivers licence no {V}", "Driver's Lic. #{V}", "Führerschein-Nr.: {V}", "n° de permis de conduire : {V}", "permiso de conducir {V}", "patente n. {V} (guida)", "rijbewijsnummer {V}", "nr prawa jazdy {V}", "carta de condução {V}", "CNH {V}", "license (CA) {V} driver"],
   ["driver version 12.4", "license key", "MIT license 2019", "driving 45 miles"], ["driver 30.0.15", "licence fee 159", "DL 2 MB", "learn to drive in 30"]),
}
def spell(kind, k, v):
    if k == 'V': return v
    if kind == 'US_SSN': return {'S': v.replace('-', ' '), 'P': v.replace('-', ''), 'T': v.replace('-', '.'), 'L': v[-4:], 'M': random.choice(['xxx-xx-', '***-**-', 'XXX-XX-', '###-##-']) + v[-4:]}[k]
    if kind == 'IP_ADDRESS': return v4() if k == 'V4' else v6()
    if k == 'E': return email().replace('"john doe"', 'john.doe')

# ---- national ids
def mod(s, w, m): return sum(int(c) * x for c, x in zip(s, w)) % m
def steuer():
    while True:
        s = str(random.randint(1, 9)) + D(9)
        c = [s.count(x) for x in set(s)]
        if sorted(c)[-1] in (2, 3) and sum(x > 1 for x in c) == 1: break
    p = 10
    for ch in s:
        t = (int(ch) + p) % 10 or 10
        p = t * 2 % 11
    return s + str((11 - p) % 10)
def nir():
    s = random.choice('12') + '%02d' % random.randint(0, 99) + '%02d' % random.randint(1, 12) + '%02d' % random.randint(1, 95) + D(3) + D(3)
    return s + '%02d' % (97 - int(s) % 97)
def bsn():
    while True:
        s = D(8); r = mod(s, range(9, 1, -1), 11)
        if r != 10 and s[0] != '0': return s + str(r)
def beln():
    y, m, d = random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)
    s = '%02d%02d%02d%03d' % (y, m, d, random.randint(1, 997))
    return s + '%02d' % (97 - int(s) % 97)
def pesel():
    s = '%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + D(4)
    return s + str(-mod(s, [1, 3, 7, 9] * 3, 10) % 10)
def pnr():
    s = '%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + D(3)
    s = luhn(s)
    return random.choice(['19', '']) + s[:6] + '-' + s[6:]
def hetu():
    s = '%02d%02d%02d' % (random.randint(1, 28), random.randint(1, 12), random.randint(40, 99)); n = '%03d' % random.randint(2, 899)
    return s + '-' + n + '0123456789ABCDEFHJKLMNPRSTUVWXY'[int(s + n) % 31]
def cpr():
    while True:
        s = '%02d%02d%02d' % (random.randint(1, 28), random.randint(1, 12), random.randint(40, 99)) + random.choice('0123') + D(2)
        r = -mod(s, [4, 3, 2, 7, 6, 5, 4, 3, 2], 11) % 11
        if r < 10: return s[:6] + '-' + s[6:] + str(r)
VD = [[0,1,2,3,4,5,6,7,8,9],[1,2,3,4,0,6,7,8,9,5],[2,3,4,0,1,7,8,9,5,6],[3,4,0,1,2,8,9,5,6,7],[4,0,1,2,3,9,5,6,7,8],[5,9,8,7,6,0,4,3,2,1],[6,5,9,8,7,1,0,4,3,2],[7,6,5,9,8,2,1,0,4,3],[8,7,6,5,9,3,2,1,0,4],[9,8,7,6,5,4,3,2,1,0]]
VP = [[0,1,2,3,4,5,6,7,8,9],[1,5,7,6,2,8,3,0,9,4],[5,8,0,3,7,9,6,1,4,2],[8,9,1,6,0,4,3,5,2,7],[9,4,5,3,1,2,6,8,7,0],[4,2,8,6,5,7,3,9,0,1],[2,7,9,3,8,0,6,4,1,5],[7,0,4,6,9,1,3,2,5,8]]
def aadhaar():
    s = random.choice('23456789') + D(10)
    for k in '0123456789':
        c = 0
        for i, ch in enumerate(reversed(s + k)): c = VD[c][VP[i % 8][int(ch)]]
        if c == 0: return group(s + k, 4, 4, 4) if random.random() < .6 else s + k
def tfn():
    while True:
        s = random.choice('123456789') + D(8)
        if mod(s, [1, 4, 3, 7, 5, 8, 6, 9, 10], 11) == 0: return random.choice([s, group(s, 3, 3, 3)])
def sin(): return group(luhn(random.choice('1234567') + D(7)), 3, 3, 3, sep=random.choice([' ', '-', '']))
def cpf():
    s = D(9)
    for _ in range(2):
        r = mod(s, range(len(s) + 1, 1, -1), 11); s += str(0 if r < 2 else 11 - r)
    return random.choice([s, f'{s[:3]}.{s[3:6]}.{s[6:9]}-{s[9:]}'])
def cnpj():
    s = D(8) + '0001'
    for w in ([5,4,3,2,9,8,7,6,5,4,3,2], [6,5,4,3,2,9,8,7,6,5,4,3,2]):
        r = mod(s, w, 11); s += str(0 if r < 2 else 11 - r)
    return random.choice([s, f'{s[:2]}.{s[2:5]}.{s[5:8]}/{s[8:12]}-{s[12:]}'])
def curp():
    c = lambda: random.choice('BCDFGHJKLMNPQRSTVWXYZ')
    s = random.choice('BCDFGHJLMNPRSTV') + random.choice('AEIOU') + c() + c() + '%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + random.choice('HM') + random.choice(['DF', 'JC', 'NL', 'MC', 'PL']) + c() + c() + c() + '0'
    t = sum('0123456789ABCDEFGHIJKLMN\u00d1OPQRSTUVWXYZ'.index(ch) * (18 - i) for i, ch in enumerate(s))
    return s + str(-t % 10)
def nric():
    p, s = random.choice('STFG'), D(7)
    t = mod(s, [2, 7, 6, 5, 4, 3, 2], 11) if p in 'SF' else (sum(int(c) * x for c, x in zip(s, [2, 7, 6, 5, 4, 3, 2])) + 4) % 11
    return p + s + ('JZIHGFEDCBA' if p in 'ST' else 'XWUTRQPNMLK')[t]
def mynum():
    s = D(11)
    r = sum(int(c) * (q + 1 if q <= 6 else q - 5) for q, c in zip(range(1, 12), reversed(s))) % 11
    s += str(0 if r <= 1 else 11 - r)
    return random.choice([s, group(s, 4, 4, 4), group(s, 4, 4, 4, sep='-')])
def rrn():
    s = '%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + random.choice('12') + D(5)
    return s[:6] + '-' + s[6:] + str((11 - mod(s, [2,3,4,5,6,7,8,9,2,3,4,5], 11)) % 10)
def zaid(): return luhn('%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + D(4) + '08')
def tckn():
    s = random.choice('123456789') + D(8); d = list(map(int, s))
    a = (7 * sum(d[0::2]) - sum(d[1::2])) % 10
    return s + str(a) + str((sum(d) + a) % 10)
def nhs():
    while True:
        s = random.choice('4679') + D(8); r = 11 - mod(s, range(10, 1, -1), 11)
        if r != 10: return group(s + str(0 if r == 11 else r), 3, 3, 4, sep=random.choice([' ', '', '-']))
def nino():
    s = random.choice(['AB', 'CE', 'JK', 'SP', 'WZ']) + D(6) + random.choice('ABCD')
    return random.choice([s, group(s, 2, 2, 2, 2, 1)])
def nif(): n = D(8); return n + random.choice(['', '', '-']) + 'TRWAGMYFPDXBNJZSQVHLCKE'[int(n) % 23]
def nie():
    p, n = random.choice('XYZ'), D(7)
    return p + n + 'TRWAGMYFPDXBNJZSQVHLCKE'[int(str('XYZ'.index(p)) + n) % 23]
def cf():
    c = lambda: random.choice('BCDFGLMNPRSTVZ')
    s = c() + c() + c() + c() + c() + c() + '%02d' % random.randint(40, 99) + random.choice('ABCDEHLMPRST') + '%02d' % random.choice(list(range(1, 29)) + list(range(41, 69))) + random.choice('ABDFGHL') + D(3)
    odd = dict(zip('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', [1,0,5,7,9,13,15,17,19,21,1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23]))
    t = sum(odd[ch] if i % 2 == 0 else (int(ch) if ch.isdigit() else ord(ch) - 65) for i, ch in enumerate(s))
    return s + chr(65 + t % 26)
def itin(): return '9' + D(2) + '-' + str(random.choice([70, 75, 80, 88, 90, 94])) + '-' + D(4)
def rfc():
    s = random.choice('BCDFGHJLMNPRSTV') + random.choice('AEIOU') + fill('@@').replace('I', 'J') + '%02d%02d%02d' % (random.randint(40, 99), random.randint(1, 12), random.randint(1, 28)) + fill('@#')
    t = sum('0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ \u00d1'.index(ch) * (13 - i) for i, ch in enumerate(s))
    return s + '0123456789A'[-t % 11]
def abn():
    while True:
        s = random.choice('123456789') + D(10)
        if (mod(str(int(s[0]) - 1) + s[1:], [10,1,3,5,7,9,11,13,15,17,19], 89)) == 0: return group(s, 2, 3, 3, 3)
def medi():
    s = random.choice('23456') + D(7)
    return group(s + str(mod(s, [1,3,7,9,1,3,7,9], 10)) + random.choice('12'), 4, 5, 1)
NAT = {
 'US_ITIN': (itin, ["ITIN {V}", "my ITIN is {V}"], ["Taxpayer id (ITIN): {V}", "individual taxpayer identification number {V}"]),
 'UK_NHS': (nhs, ["NHS number {V}", "NHS No: {V}"], ["nhs no. {V}", "patient NHS {V}"]), 'UK_NINO': (nino, ["NI number {V}", "National Insurance: {V}"], ["nino {V}", "my national insurance number is {V}"]),
 'DE_TAX_ID': (steuer, ["Steuer-ID {V}", "Steueridentifikationsnummer: {V}", "tax ID {V}"], ["IdNr. {V}", "meine Steuer-Identifikationsnummer lautet {V}", "Steuernummer (ID) {V}"]),
 'FR_NIR': (nir, ["numéro de sécurité sociale {V}", "NIR : {V}", "n° sécu {V}"], ["Sécurité sociale : {V}", "mon numéro de sécu est {V}"]),
 'ES_NIF': (nif, ["DNI {V}", "NIF: {V}"], ["mi dni es {V}", "con NIF {V}", "documento {V}"]), 'ES_NIE': (nie, ["NIE {V}", "NIE: {V}"], ["mi NIE es {V}", "{V}"]),
 'IT_FISCAL_CODE': (cf, ["codice fiscale {V}", "C.F. {V}"], ["CF: {V}", "{V}"]), 'NL_BSN': (bsn, ["BSN {V}", "burgerservicenummer: {V}"], ["mijn bsn is {V}", "BSN-nummer {V}"]),
 'BE_NATIONAL_NUMBER': (lambda: (lambda s: random.choice([s, f'{s[:2]}.{s[2:4]}.{s[4:6]}-{s[6:9]}.{s[9:]}']))(beln()), ["rijksregisternummer {V}", "numéro national {V}"], ["registre national : {V}", "INSZ {V}", "NISS {V}"]),
 'PL_PESEL': (pesel, ["PESEL {V}", "PESEL: {V}"], ["numer PESEL {V}", "pesel={V}"]), 'SE_PERSONNUMMER': (pnr, ["personnummer {V}", "Personnr: {V}"], ["mitt personnummer är {V}", "pnr {V}"]),
 'FI_PERSONAL_IDENTITY_CODE': (hetu, ["henkilötunnus {V}", "hetu {V}"], ["HETU: {V}", "{V}"]), 'DK_CPR': (cpr, ["CPR {V}", "cpr-nummer {V}"], ["CPR-nr. {V}", "mit cpr nummer er {V}"]),
 'IN_AADHAAR': (aadhaar, ["Aadhaar {V}", "Aadhaar No: {V}"], ["aadhar card {V}", "UIDAI number {V}"]), 'IN_PAN': (lambda: fill('@@@') + 'P' + fill('@####@'), ["PAN {V}", "PAN card: {V}"], ["pan no {V}", "Permanent Account Number {V}"]),
 'AU_TFN': (tfn, ["TFN {V}", "tax file number {V}"], ["TFN: {V}", "my tax file no is {V}"]), 'AU_ABN': (abn, ["ABN {V}", "ABN: {V}"], ["A.B.N. {V}", "business number {V}"]), 'AU_MEDICARE': (medi, ["Medicare {V}", "medicare card {V}"], ["Medicare no: {V}", "medicare number is {V}"]),
 'CA_SIN': (sin, ["SIN {V}", "social insurance number {V}"], ["SIN: {V}", "NAS {V}", "my SIN is {V}"]), 'BR_CPF': (cpf, ["CPF {V}", "CPF: {V}"], ["meu cpf é {V}", "CPF nº {V}"]), 'BR_CNPJ': (cnpj, ["CNPJ {V}"], ["CNPJ: {V}", "empresa CNPJ nº {V}"]),
 'MX_CURP': (curp, ["CURP {V}"], ["mi CURP: {V}", "{V}"]), 'MX_RFC': (rfc, ["RFC {V}"], ["mi RFC es {V}", "RFC: {V}"]), 'SG_NRIC_FIN': (nric, ["NRIC {V}", "FIN {V}"], ["nric no. {V}", "{V}"]),
 'JP_MY_NUMBER': (mynum, ["マイナンバー {V}", "My Number {V}"], ["個人番号：{V}", "my number: {V}"]), 'KR_RRN': (rrn, ["주민등록번호 {V}", "RRN {V}"], ["주민번호: {V}", "{V}"]),
 'ZA_ID_NUMBER': (zaid, ["ID number {V}", "South African ID {V}"], ["SA ID: {V}", "RSA id no {V}"]), 'TR_NATIONAL_ID': (tckn, ["TC Kimlik No: {V}", "T.C. kimlik {V}"], ["TCKN {V}", "kimlik numarası {V}"]),
}
STARTS = ['', '', '', 'Hello, ', 'For the file: ', '- ', 'Note: ']
ENDS = ['', '', '.', ', thanks', ' (checked)', '\nBye', '; see above']

# A third set of wordings, written last.
LAST = {
 'CREDIT_CARD': (["We could not process {V}, please update it", "Guest paid 240.00 using card no. {V} at check-in", "PAN={V};CVV=***", "my card is {V} and it expires in june", "Zahlung mit Kartennummer {V} abgelehnt", "numéro de carte : {V}", "el número de mi tarjeta es {V}", "Card: {V} (Visa)", "stolen credit card {V}, block it now", "\"card_number\": \"{V}\""], ["meter reading 4{n6}{n3}", "file 20240312{n8}.log", "order ref 99{n6}{n6}", "trace id 7{n6}{n6}{n2}", "flight 4{n3} 1111", "barcode 5901234123457", "ticket 1762 4452 9981 1203 4"]),
 'IBAN_CODE': (["Kontonummer (IBAN) {V}", "send the money to {V} please", "our new bank details: {V}, BIC ABNANL2A", "IBAN={V}", "ES IBAN: {V} titular Ana", "[{V}]", "refund goes to {V}."], ["ref DE{n6}", "model GB{n2}X{n4}", "part no FR76{n4}"]),
 'IP_ADDRESS': (["Failed login from {V} port 52144 ssh2", "client {V} disconnected", "upstream={V4}:9000 status=502", "nameserver {V}", "allow {V4}/16;", "connect to [{V6}]:8443 timed out", "{V} -> {V}", "peer={V6}", "X-Real-IP: {V}", "\"ip\":\"{V}\"", "banned {V} for 10m"], ["go1.22.3 linux", "Firefox/128.0.1.2 on", "mod::sub::fun", "took 00:03:12", "key:value:pair", "openssl 3.0.2.1", "rule 4.2.1.7"]),
 'MAC_ADDRESS': (["station {V} authenticated", "MAC-Adresse: {V}", "wake {V}", "\"mac\":\"{V}\""], ["12.5.2024", "10-20-30-40", "ratio 16:09:04"]),
 'EMAIL_ADDRESS': (["{E} wrote on Monday:", "Meine E-Mail ist {V}", "mon adresse est {V}.", "contact={E}", "Reply-To: {E}", "please forward to {E}/{E}", "({E})", "email me, {V}, any time", "bcc {E}, {E}"], ["user@host", "@types/node@20.1.0", "one @ two", "at the dot", "he was at school dot", "v1@sha256:abcd"]),
 'US_SSN': (["SSN provided by applicant: {V}", "his social is {V}", "SOCIAL SECURITY NUMBER {V}", "Soc. Sec. No. {V}", "ssn {S}", "borrower_ssn: {P}", "I gave them my SSN ({V}) by mistake", "SSN last four {L}", "the last 4 of your SSN is {L}"], ["case 12-34-5678", "id 123-4567-89", "last 4 digits of phone 1234", "model 123-45-67890", "batch 111223333"]),
 'MRN': (["MRN {V}: discharge summary", "Med. Record #{V}", "patient's MRN is {V}", "Patient identifier: {V}", "Pt ID {V}", "med record no {V}", "MRN#: {V} DOB 1/2/1980", "Patient (MRN: {V}) presented with chest pain", "Clinic chart no. {V}", "Medical Record Number (MRN): {V}", "{{\"patient_id\": \"{V}\"}}", "UHID: {V}", "Krankenhaus, Patientennr. {V}", "dossier patient n° {V}", "nº de historia clínica: {V}", "numero cartella clinica: {V}"], ["patient aged 45", "patients in 2023", "chart 3 below", "hospital opened 1998", "record high of 120000", "the MRN was wrong"]),
 'US_NPI': (["NPI={V}", "(NPI {V})", "billing NPI: {V}", "Referring physician NPI {V}", "national provider identifier (NPI) is {V}", "prescriber npi # {V}"], ["NPI numbers 2024", "order 1{n9}z", "npi tbd"]),
 'MEDICAL_LICENSE': (["DEA Reg. No. {V}", "dea_number={V}", "DEA #: {V}"], ["DEA office 44", "serial QQ1234567"]),
 'HEALTH_INSURANCE_ID': (["Member ID# {V}", "insurance: Aetna, ID number {V}", "member_id={V}", "subscriber ID is {V}", "Health Insurance ID {V}", "plan member no. {V}"], ["member since 2010", "insured for 20000"]),
 'PASSPORT': (["passport: {V}", "holder of passport no. {V}", "PASSPORT NUMBER: {V}", "Passport Nr {V}", "Reisepass-Nr. {V}", "numéro du passeport : {V}", "pasaporte número {V}", "passaporto numero {V}", "\"passportNo\": \"{V}\""], ["passport and 2 photos", "passport.use(1)", "passport expires 12/2027"]),
 'DRIVER_LICENSE': (["DL: {V}", "driver's licence number {V}", "Driver License #: {V}", "Führerschein Nr. {V}", "permis de conduire : {V}", "licencia de conducir nº {V}", "patente di guida: {V}", "rijbewijsnr. {V}", "license no. {V} (Texas)"], ["driver 12.0.1", "licence plate", "DL speed 45"]),
}
LAST_PHONE = {
 'en': ["My mobile: {V}", "Best number to reach me: {V}", "call {V}", "Ph. {V}", "{{\"mobile\": \"{V}\", \"ok\": true}}", "Anna Smith\nSales\n{V}\nacme.example", "He phoned from {V} last night", "support line {V}, open 9-5", "tel:{V}", "You left a message from {V}.", "cell # {V}"],
 'de': ["Tel {V}", "Meine Nummer: {V}", "Handy: {V}", "unter {V} erreichbar"], 'fr': ["mon tél : {V}", "Téléphone portable {V}", "contactez-nous au {V}"], 'es': ["mi móvil es {V}", "Tfno: {V}", "llamar a {V}"], 'it': ["tel. {V}", "il mio cellulare: {V}"],
 'nl': ["tel. {V}", "mijn mobiele nummer is {V}"], 'pl': ["tel: {V}", "nr tel. {V}"], 'sv': ["tel {V}", "nås på {V}"], 'pt': ["tel.: {V}", "contacto {V}"], 'tr': ["Telefon numaram {V}", "GSM: {V}"], 'ru': ["мой телефон {V}", "тел.: {V}"],
}
LAST_NOPHONE = ["file_{n8}_{n4}", "ver 2024.11.{n4}", "{n3} x {n4} x {n4} mm", "EUR 1.234.567,00", "case 2023/{n6}", "0123456789abcdef{n8}", "bytes=0-{n8}", "session {n9}", "2024/11/21 10:30:{n2}", "sensor 12.5 13.7 14.9 11.2", "score 3-2 4-1 5-0", "chr1:{n8}-{n8}", "ID: {n9}", "loss 0.{n8}", "points 100 200 300 400"]

def numbers(t):
    return re.sub(r'\{n(\d+)\}', lambda m: D(int(m.group(1))), t)
def main():
    for side, seed in ((0, 21), (1, 22), (2, 23)):
        random.seed(seed)
        sets = {'phone': [], 'ids': [], 'national': []}
        def add(name, rule, text, spans): sets[name].append({'id': f'{name}-{len(sets[name])}', 'text': text, 'spans': spans, 'rule': rule})
        def build(t, value, typ):
            text, spans = '', []
            t = t.replace('{{', '\x01').replace('}}', '\x02')
            while True:
                m = re.search(r'\{(V4|V6|[A-Z])\}', t)
                if not m: break
                v = value(m.group(1)); text += t[:m.start()]; s = len(text.encode())
                spans.append({'start': s, 'end': s + len(v.encode()), 'type': typ, 'value': v}); text += v; t = t[m.end():]
            return (text + t).replace('\x01', '{').replace('\x02', '}'), spans
        for _ in range(3):
            for cc, forms in PHONES.items():
                texts = (*PT[PL.get(cc, 'en')], LAST_PHONE[PL.get(cc, 'en')])[side]
                for f in forms:
                    def one(_):
                        v = fill(f.replace('NPA', random.choice(AREA)).replace('N', '\x03')).replace('\x03', 'N') if 'FLOWERS' not in f else f
                        return v + random.choice(EXT)
                    for t in random.sample(texts, 1) + random.sample((*PT['en'], LAST_PHONE['en'])[side], 1):
                        add('phone', cc + (' alone' if t == '{V}' else ''), *build(t, one, 'PHONE_NUMBER'))
            for t in (*NOPHONE, LAST_NOPHONE)[side]:
                for _ in range(4): add('phone', 'none', numbers(t), [])
        for kind, (make, a, b, na, nb) in KINDS.items():
            for t in (a, b, LAST[kind][0])[side]:
                for _ in range(14):
                    text, spans = build(random.choice(STARTS) * (t[0] not in '{x') + t + random.choice(ENDS) * (not t.endswith(('\n', '}', '/', '"GET /"'))), lambda k: spell(kind, k, make()), kind)
                    add('ids', kind, text, spans)
            for t in (na, nb, LAST[kind][1])[side]:
                for _ in range(6): add('ids', kind + ' none', numbers(t), [])
        for kind, (make, a, b) in NAT.items() if side < 2 else ():
            for t in (a, b)[side]:
                for _ in range(10): add('national', kind, *build(random.choice(STARTS) + t + random.choice(ENDS), lambda _: make(), kind))
        for name, rows in sets.items():
            if not rows: continue
            with open(f'{sys.argv[1]}/{name}_{"abc"[side]}.jsonl', 'w') as out:
                for r in rows: out.write(json.dumps(r, ensure_ascii=False) + '\n')
main()
