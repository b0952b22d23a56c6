"""Records of ordinary business schemas, as products send them: who is a person in them.

    python bench/classify/business.py SET > FILE.jsonl      # SET: k or l

Fifteen trades, two schemas or more of each in both sets, no schema in common; a fifth in other
languages than English. Names, firms and streets are made by Faker (MIT), works, ships, roses and
other things that are called after people are drawn from lists, one for each set. The same lines
come out each time with the same release of Faker: no date of today, no order of a Python set.
"""
import json
import os
import random
import sys

from faker import Faker

if os.environ.get('PYTHONHASHSEED') != '0':  # Faker draws some towns from a set, whose order is another in each process
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, 'PYTHONHASHSEED': '0'})
SET = sys.argv[1] if len(sys.argv) > 1 else 'k'
R = random.Random('business ' + SET)
Faker.seed('business ' + SET)
LOCALES = {'en': 'en_US en_GB en_US en_GB en_AU en_IN es_MX de_DE it_IT fr_FR pl_PL', 'de': 'de_DE', 'fr': 'fr_FR', 'es': 'es_ES',
           'it': 'it_IT', 'nl': 'nl_NL', 'pt': 'pt_BR', 'pl': 'pl_PL', 'sv': 'sv_SE'}
FAKE = {x: Faker(x) for x in sorted({y for v in LOCALES.values() for y in v.split()})}
EN = FAKE['en_US']


class Name(str):
    """A value that is a person's name."""


def f(lang='en'):
    return FAKE[R.choice(LOCALES[lang].split())]


def G(lang='en'):
    return Name(f(lang).first_name())


def S(lang='en'):
    return Name(f(lang).last_name())


def P(lang='en'):
    x = f(lang)
    g, s = x.first_name(), x.last_name()
    return Name(R.choices([f'{g} {s}', f'{s}, {g}', f'{g} {R.choice("ABCDEJKLMRST")}. {s}', f'{g[0]}. {s}', f'{R.choice(["Dr.", "Mr.", "Mrs", "Prof."])} {g} {s}',
                           f'{g} {s}'.upper(), f'{g} {s} {x.last_name()}', f'{s.upper()} {g}'], [70, 8, 6, 4, 5, 3, 2, 2])[0])


THINGS = {
    'k': {
        'film': 'Annie Hall|Erin Brockovich|Forrest Gump|Jerry Maguire|Donnie Darko|Thelma & Louise|Michael Clayton|Billy Elliot|The Talented Mr. Ripley|Frida',
        'book': 'Anna Karenina|Daisy Miller|Mrs Dalloway|Robinson Crusoe|Effi Briest|Adam Bede|Dorian Gray|Silas Marner|Tess of the d\'Urbervilles|Barry Lyndon',
        'song': 'Peggy Sue|Michelle|Proud Mary|Barbara Ann|Oh Carol|Maggie May|Rosanna|Johnny B. Goode',
        'ship': 'Queen Elizabeth|Edmund Fitzgerald|Margaret Todd|Emma Maersk|MV Anna Sophie|Cutty Sark|Mary Celeste',
        'team': 'Aston Villa|Red Bulls|Team Phoenix|Support Tier 2|Platform Team|Charlotte Hornets|Newells Old Boys',
        'role': 'Account Executive|Head of Sales|Office Manager|Site Reliability Engineer|Legal Counsel|Night Porter|Support Agent',
        'product': 'Harrington Jacket|Chelsea Boots|Stanley Thermos|Mary Jane Shoes|Oxford Shirt|Wireless Mouse M185|Billy Bookcase|Nigella Mixing Bowl|Adirondack Chair',
        'rose': 'Gertrude Jekyll|Graham Thomas|Lady Emma Hamilton|Abraham Darby|William Lobb',
        'pet': 'Bella|Max|Charlie|Luna|Oscar|Molly',
        'file': 'invoice_2024_03.pdf|scan-0012.tiff|Johnson_contract_v2.docx|IMG_2041.JPG|maria.sql|Q3 forecast.xlsx',
        'building': 'Franklin Building|Wilson Hall|Darwin House|Margaret Thatcher Centre|Kennedy Tower|Rosa Parks Room',
        'drug': 'Amoxicillin 500 mg|Ventolin|St John\'s Wort|Atorvastatin|Metformin',
        'disease': 'Parkinson disease|Crohn disease|Hodgkin lymphoma|Bell palsy|Asthma',
        'car': 'Ford Fiesta|Alfa Romeo Giulietta|Mercedes Vito|Lincoln Navigator|Opel Karl|Renault Zoe',
        'host': 'gandalf|web-prod-03|hercules|fileserver|MARTIN-LT|db-oscar-1',
        'fund': 'Wellington Growth|Franklin Templeton Income|Vanguard 500|T. Rowe Price Equity|Baillie Gifford America',
        'course': 'Jane Austen and Her World|Intro to Java|Linear Algebra II|Marie Curie Lecture|Business English B2',
    },
    'l': {
        'film': 'Dolores Claiborne|Jackie Brown|Harold and Maude|Veronica Mars|Philadelphia|Ray Donovan|Nurse Jackie|Barton Fink|Juno|Carol',
        'book': 'Jane Eyre|Martin Chuzzlewit|Agnes Grey|Tom Jones|Clarissa|Doctor Zhivago|Eugenie Grandet|Felix Holt|Lord Jim|Elmer Gantry',
        'song': 'Billie Jean|Lola|Sweet Caroline|Jack & Diane|Come On Eileen|Gloria|Mrs. Robinson|Valerie',
        'ship': 'Stena Adventurer|Grace O\'Malley|Helen Marie|Charlotte Dundas|Ever Given|Amerigo Vespucci|Sir Galahad',
        'team': 'St. Johnstone|Orlando Magic|Blue Squad|Billing Operations|Houston Astros|Team Nelson|Colo-Colo',
        'role': 'Sales Director|Night Auditor|Facility Manager|Chief of Staff|Junior Dev|Crew Lead|Ward Sister',
        'product': 'Norfolk Jacket|Dexter Desk Lamp|Henry Vacuum|Jack Wolfskin Parka|Kelly Bag|Amelia Sofa|Sebastian Dining Table|USB-C Cable|Emilia Dress',
        'rose': 'Constance Spry|Jude the Obscure|Winchester Cathedral|Falstaff|Jacqueline du Pre',
        'pet': 'Rocky|Daisy|Milo|Simba|Poppy|Rex',
        'file': 'minutes-may.docx|Garcia_signed.pdf|export.csv|photo (3).png|anna-backup.tar.gz|Budget 2025.xlsx',
        'building': 'Newton Wing|Emily Davies Library|Building C|Victoria House|Edison Lab|Nelson Mandela Hall',
        'drug': 'Ibuprofen 400|Lantus|Jenny Craig Shake|Prozac|Epipen',
        'disease': 'Graves disease|Addison disease|Alzheimer disease|Down syndrome|Flu',
        'car': 'Tesla Model S|Seat Leon|Skoda Octavia|Chevrolet Malibu|Austin Healey|Dacia Sandero',
        'host': 'zeus|ci-runner-7|alice|nas.home|LENOVO-JSMITH|cassandra-2',
        'fund': 'Charles Schwab 1000|Fidelity Blue Chip|Neuberger Berman Core|Janus Henderson Balanced|Edward Jones Money Market',
        'course': 'Freud Revisited|Bach for Beginners|Organic Chemistry|Ada Lovelace Workshop|First Aid at Work',
    },
}[SET]


def T(kind):
    return R.choice(THINGS[kind].split('|'))


def C(lang='en'):
    x = FAKE[LOCALES[lang].split()[0]]
    if lang != 'en' or R.random() < .55:
        return x.company()
    g, s = EN.first_name(), EN.last_name()
    return R.choice([f'{g} {s} Ltd', f'{s} & {EN.last_name()}', f'{s} & Sons', f"{g}'s Kitchen", f'{s} Brothers', f'{g} {s} Interiors', f'{s} Logistics',
                     f'{s}, {EN.last_name()} and {EN.last_name()}', f'{g} {s} Foundation', f'Café {g}', f'{s} Motors'])


def town(lang='en'):
    return FAKE[LOCALES[lang].split()[0]].city()


def street(lang='en'):
    return FAKE[LOCALES[lang].split()[0]].street_name()


def n(k=6):
    return R.randrange(10 ** (k - 1), 10 ** k)


def user():
    return EN.user_name()


def mail():
    return EN.email()


def d():
    return f'20{R.randrange(19, 26)}-{R.randrange(1, 13):02}-{R.randrange(1, 29):02}'


RECORDS = {
    'k': {'en': [
        lambda: {'contact': {'id': n(), 'first_name': G(), 'last_name': S(), 'account': {'name': C(), 'industry': 'Retail'}, 'owner': {'full_name': P(), 'title': T('role')}, 'lead_source': 'Web'}},
        lambda: {'object': 'deal', 'deal name': f'{C()} renewal', 'account name': C(), 'contact name': P(), 'deal owner': P(), 'stage': 'Closed Won', 'campaign': 'Spring Rose'},
        lambda: {'booking': {'ref': f'BK{n()}', 'lead guest': P(), 'other guests': [P(), P()], 'hotel': {'name': f'Hotel {T("pet")}', 'city': town()}, 'room': T('building'), 'booked by': P()}},
        lambda: {'reservation id': n(), 'restaurant name': C(), 'guest name': P(), 'party size': 4, 'server': P(), 'table': 'Terrace 3', 'host': T('host')},
        lambda: {'ticket': {'number': n(), 'subject': 'Printer on fire', 'requester': {'name': P(), 'email': mail()}, 'assignee': {'name': P()}, 'group': {'name': T('team')}, 'organization': {'name': C()}, 'collaborators': [{'name': P()}]}},
        lambda: {'case id': n(), 'reported by': P(), 'escalated to': P(), 'queue': T('team'), 'product': T('product'), 'attachments': [{'name': T('file')}], 'closed by': P()},
        lambda: {'id': f'ch_{n(9)}', 'object': 'charge', 'billing details': {'name': P(), 'email': mail(), 'address': {'line1': street(), 'city': town()}}, 'merchant': {'name': C(), 'category': 'Books'}, 'card': {'brand': 'Discover', 'name on card': P()}},
        lambda: {'payout': {'beneficiary name': P(), 'bank name': C(), 'initiated by': P(), 'descriptor': 'JONES BAKERY 0123', 'status': 'Paid'}},
        lambda: {'employee': {'employee id': n(), 'preferred name': G(), 'legal first name': G(), 'legal last name': S(), 'manager': P(), 'job title': T('role'), 'department': 'Finance', 'work location': town(), 'emergency contact': {'name': P(), 'relationship': 'Spouse'}}},
        lambda: {'leave request': {'employee name': P(), 'approver': P(), 'cover': P(), 'type': 'Annual', 'team': T('team'), 'office': T('building')}},
        lambda: {'order': {'order no': n(), 'customer': {'first name': G(), 'last name': S()}, 'shipping address': {'name': P(), 'address1': street(), 'city': town(), 'company': C()}, 'line items': [{'title': T('product'), 'vendor': C(), 'name': T('product')}, {'title': T('rose'), 'vendor': C(), 'name': T('rose')}]}},
        lambda: {'event': 'review.created', 'review': {'author': P(), 'item': T('book'), 'brand': C(), 'rating': 4, 'reply': {'by': P(), 'role': T('role')}}},
        lambda: {'patient': {'mrn': n(), 'name': {'family': S(), 'given': [G()]}, 'next of kin': P(), 'gp': P()}, 'ward': T('building'), 'diagnosis': T('disease'), 'medication': T('drug'), 'attending': P(), 'referring physician': P()},
        lambda: {'appointment': {'practitioner': P(), 'patient name': P(), 'clinic': C(), 'reason': T('disease'), 'pharmacy': C()}},
        lambda: {'student': {'first name': G(), 'middle initial': 'J', 'surname': S(), 'guardian': P(), 'homeroom teacher': P()}, 'school': T('building'), 'course': T('course'), 'bus': 'Franklin Loop', 'set text': T('book')},
        lambda: {'submission': {'student name': P(), 'graded by': P(), 'assignment': T('book'), 'file name': T('file'), 'course name': T('course')}},
        lambda: {'shipment': {'tracking': n(9), 'consignee': P(), 'shipper': C(), 'vessel': T('ship'), 'carrier': C(), 'driver': P(), 'signed by': P(), 'origin': town(), 'truck': T('car')}},
        lambda: {'delivery': {'recipient': P(), 'drop off': street(), 'courier': {'name': P(), 'vehicle': T('car')}, 'depot': town(), 'left with': P()}},
        lambda: {'account': {'account holder': P(), 'joint holder': P(), 'branch': town(), 'relationship manager': P(), 'product': T('fund'), 'nickname': 'Holiday pot'}},
        lambda: {'transaction': {'payer': P(), 'payee': P(), 'counterparty bank': C(), 'reference': 'Rent May', 'merchant name': C(), 'approved by': P()}},
        lambda: {'registration': {'attendee': {'first': G(), 'last': S(), 'company': C(), 'job title': T('role')}, 'event': {'name': T('course'), 'venue': {'name': T('building'), 'city': town()}}, 'speakers': [{'name': P(), 'talk': T('course')}, {'name': P(), 'talk': T('book')}], 'sponsor': C()}},
        lambda: {'matter': {'client': P(), 'opposing counsel': P(), 'judge': P(), 'court': f'{town()} County Court', 'law firm': C(), 'responsible attorney': P(), 'case name': T('file')}},
        lambda: {'contract': {'party a': C(), 'signatory': P(), 'witness': P(), 'governing law': 'Delaware', 'document': T('file'), 'notary': P()}},
        lambda: {'lease': {'tenant name': P(), 'landlord': P(), 'property': f'{T("building")}', 'street': street(), 'agent': {'name': P(), 'agency': C()}, 'guarantor': P(), 'pets': [{'name': T('pet'), 'breed': 'Beagle'}]}},
        lambda: {'asset': {'tag': f'A-{n()}', 'model': 'Latitude 5420', 'assigned to': P(), 'hostname': T('host'), 'manufacturer': C(), 'last user': user(), 'location': T('building'), 'checked out by': P()}},
        lambda: {'device name': T('host'), 'user': P(), 'os': 'Windows 11', 'group': T('team'), 'licensed to': C()},
        lambda: {'post': {'author': {'display name': P(), 'username': user()}, 'text': 'Great day', 'mentions': [{'display name': P(), 'handle': user()}], 'page': {'name': C()}, 'now playing': {'song': T('song')}}},
        lambda: {'feed': [{'actor': P(), 'verb': 'liked', 'object': {'type': 'movie', 'name': T('film')}}, {'actor': P(), 'verb': 'shared', 'object': {'type': 'book', 'name': T('book')}}]},
        lambda: {'library': [{'title': T('book'), 'author': P(), 'publisher': C()}, {'title': T('film'), 'director': P(), 'studio': C()}], 'borrower': P(), 'branch': town()},
        lambda: {'catalogue': [{'name': T('rose'), 'type': 'rose', 'price': 12}, {'name': T('rose'), 'type': 'rose', 'price': 14}], 'nursery': C(), 'grower': C()},
        lambda: {'vet visit': {'pet name': T('pet'), 'owner name': P(), 'vet': P(), 'practice': C(), 'medication': T('drug')}},
        lambda: {'playlist': {'name': T('song'), 'tracks': [{'name': T('song'), 'album': T('film')}, {'name': T('song'), 'album': T('film')}], 'created by': P()}},
    ], 'xx': [
        lambda: {'Kunde': {'Anrede': 'Frau', 'Vorname': G('de'), 'Nachname': S('de'), 'Firma': C('de'), 'Straße': street('de'), 'Ort': town('de')}, 'Sachbearbeiter': P('de'), 'Artikel': T('product')},
        lambda: {'rechnungsempfaenger': P('de'), 'lieferant': C('de'), 'bearbeitetVon': P('de'), 'projekt': T('building'), 'ansprechpartner': {'name': P('de'), 'funktion': 'Leiterin Einkauf'}},
        lambda: {'client': {'civilite': 'Mme', 'prenom': G('fr'), 'nom': S('fr')}, 'conseiller': P('fr'), 'societe': C('fr'), 'ville': town('fr'), 'produit': T('product')},
        lambda: {'rendezVous': {'medecin': P('fr'), 'patient': P('fr'), 'etablissement': 'Clinique Pasteur', 'rue': street('fr')}},
        lambda: {'pedido': {'cliente': {'nombre': G('es'), 'apellidos': S('es')}, 'repartidor': P('es'), 'tienda': C('es'), 'calle': street('es'), 'producto': T('product')}},
        lambda: {'fattura': {'intestatario': P('it'), 'azienda': C('it'), 'emessa_da': P('it'), 'citta': town('it')}},
        lambda: {'klant': {'voornaam': G('nl'), 'achternaam': S('nl'), 'bedrijf': C('nl')}, 'behandelaar': P('nl'), 'plaats': town('nl')},
        lambda: {'agendamento': {'paciente': P('pt'), 'medico': P('pt'), 'clinica': C('pt'), 'bairro': 'Santa Teresa'}},
        lambda: {'zamowienie': {'klient': P('pl'), 'firma': C('pl'), 'opiekun': P('pl'), 'miasto': town('pl')}},
        lambda: {'bokning': {'kund': P('sv'), 'handläggare': P('sv'), 'företag': C('sv'), 'ort': town('sv')}},
    ]},
    'l': {'en': [
        lambda: {'lead': {'salutation': 'Ms', 'given name': G(), 'family name': S(), 'company name': C(), 'converted by': P(), 'campaign name': T('film')}},
        lambda: {'opportunity': {'name': C(), 'primary contact': P(), 'sales rep': P(), 'competitor': C(), 'next step': 'Call back', 'decision maker': {'name': P(), 'position': T('role')}}},
        lambda: {'passengers': [{'title': 'MR', 'first name': G(), 'surname': S()}, {'title': 'MS', 'first name': G(), 'surname': S()}], 'flight': {'aircraft name': T('ship'), 'operated by': C(), 'from': town()}, 'booker': P()},
        lambda: {'stay': {'guest': {'name': P(), 'nationality': 'Irish'}, 'property name': T('building'), 'housekeeper': P(), 'suite': T('building'), 'checked in by': P()}},
        lambda: {'conversation': {'customer name': P(), 'agent name': P(), 'team name': T('team'), 'inbox': 'Returns', 'participants': [{'name': P(), 'type': 'user'}, {'name': P(), 'type': 'agent'}]}},
        lambda: {'incident': {'opened by': P(), 'caller': P(), 'resolved by': P(), 'assignment group': T('team'), 'configuration item': T('host'), 'service': 'Payroll', 'vendor': C()}},
        lambda: {'invoice': {'bill to': {'attention': P(), 'company': C(), 'city': town()}, 'issued by': C(), 'prepared by': P(), 'lines': [{'description': T('product')}, {'description': T('product')}]}},
        lambda: {'refund': {'customer': P(), 'cardholder name': P(), 'store': {'name': C()}, 'processed by': P(), 'item name': T('product')}},
        lambda: {'candidate': {'full name': P(), 'current employer': C(), 'recruiter': P(), 'hiring manager': P(), 'referred by': P(), 'resume': T('file'), 'position': T('role')}},
        lambda: {'worker': {'fname': G(), 'lname': S(), 'supervisor name': P(), 'cost center': 'Madison', 'union rep': P(), 'shift lead': P(), 'crew': T('team')}},
        lambda: {'cart': {'buyer': {'name': P(), 'email': mail()}, 'gift recipient': P(), 'items': [{'product name': T('product'), 'brand': C(), 'variant': 'Olive'}, {'product name': T('book'), 'brand': C(), 'variant': 'Paperback'}], 'seller': {'shop name': C(), 'contact person': P()}}},
        lambda: {'wish list': {'owner': P(), 'entries': [{'item': T('rose')}, {'item': T('film')}], 'store name': C()}},
        lambda: {'encounter': {'subject': {'display': P()}, 'participant': [{'individual': {'display': P()}}], 'location': {'display': T('building')}, 'condition': T('disease'), 'service provider': {'display': C()}}},
        lambda: {'prescription': {'prescriber': P(), 'patient first name': G(), 'patient last name': S(), 'drug name': T('drug'), 'pharmacist': P(), 'pharmacy name': C()}},
        lambda: {'class': {'teacher name': P(), 'pupils': [{'name': P()}, {'name': P()}, {'name': P()}], 'room name': T('building'), 'reading': T('book')}, 'head teacher': P()},
        lambda: {'enrolment': {'learner': P(), 'tutor': P(), 'parent name': P(), 'course title': T('course'), 'campus': T('building')}},
        lambda: {'manifest': {'captain': P(), 'ship name': T('ship'), 'crew list': [{'name': P(), 'rank': 'Bosun'}, {'name': P(), 'rank': 'Cook'}], 'charterer': C(), 'port': town()}},
        lambda: {'parcel': {'sender name': P(), 'receiver name': P(), 'proof of delivery': {'received by': P()}, 'hub': town(), 'carrier name': C(), 'van': T('car')}},
        lambda: {'loan application': {'applicant': {'first name': G(), 'last name': S(), 'employer': C()}, 'co applicant': P(), 'underwriter': P(), 'loan officer': P(), 'lender name': C()}},
        lambda: {'portfolio': {'investor': P(), 'advisor': P(), 'holdings': [{'name': T('fund'), 'units': 12}, {'name': T('fund'), 'units': 3}], 'custodian': C()}},
        lambda: {'ticket holder': P(), 'event name': T('film'), 'organiser': {'name': C()}, 'venue name': T('building'), 'seat': 'B12', 'panel': [{'moderator': P()}, {'panelist': P()}]},
        lambda: {'badge': {'name': P(), 'organisation': C(), 'track': T('course'), 'checked in': d(), 'hosted by': P()}},
        lambda: {'docket': {'plaintiff': P(), 'defendant': C(), 'presiding judge': P(), 'clerk': P(), 'exhibits': [{'name': T('file'), 'submitted by': P()}], 'jurisdiction': town()}},
        lambda: {'will': {'testator': P(), 'executor': P(), 'beneficiaries': [{'name': P(), 'share': '50%'}, {'name': P(), 'share': '50%'}], 'solicitor firm': C()}},
        lambda: {'listing': {'seller name': P(), 'listing agent': P(), 'brokerage': C(), 'subdivision': 'Jackson Heights', 'building name': T('building'), 'street name': street()}},
        lambda: {'maintenance': {'resident': P(), 'technician': P(), 'contractor': C(), 'unit': '4B', 'photo': T('file'), 'property manager': P()}},
        lambda: {'computer': {'computer name': T('host'), 'primary user': P(), 'purchased from': C(), 'support group': T('team'), 'serial': f'SN{n()}', 'custodian': P()}},
        lambda: {'change': {'requested by': {'display value': P()}, 'approvers': [P(), P()], 'server name': T('host'), 'app': 'Jira', 'implementer': P()}},
        lambda: {'status': {'user': {'name': P(), 'screen name': user()}, 'in reply to': user(), 'tagged': [{'name': P()}], 'place': {'full name': town()}, 'watching': {'title': T('film')}}},
        lambda: {'comments': [{'commenter': P(), 'body': 'Nice'}, {'commenter': P(), 'body': 'Thanks'}], 'video': {'name': T('song'), 'channel': C()}, 'uploaded by': P()},
        lambda: {'movie': {'name': T('film'), 'cast': [{'actor': P(), 'part': 'Mayor'}, {'actor': P(), 'part': 'Doctor'}], 'directed by': P(), 'distributor': C()}},
        lambda: {'garden': {'plants': [{'cultivar': T('rose')}, {'cultivar': T('rose')}], 'gardener': P(), 'supplier': {'name': C()}}},
        lambda: {'kennel': {'dogs': [{'name': T('pet'), 'breed': 'Collie', 'owner': P()}, {'name': T('pet'), 'breed': 'Pug', 'owner': P()}], 'facility': C()}},
    ], 'xx': [
        lambda: {'Mitarbeiter': {'vorname': G('de'), 'familienname': S('de'), 'vorgesetzter': P('de'), 'abteilung': 'Einkauf', 'standort': town('de')}, 'arbeitgeber': C('de')},
        lambda: {'versicherungsnehmer': P('de'), 'makler': C('de'), 'geschaedigter': P('de'), 'gutachter': P('de'), 'fahrzeug': T('car')},
        lambda: {'commande': {'acheteur': P('fr'), 'destinataire': P('fr'), 'vendeur': C('fr'), 'article': T('product'), 'livreur': P('fr')}},
        lambda: {'dossier': {'avocat': P('fr'), 'demandeur': P('fr'), 'cabinet': C('fr'), 'greffier': P('fr')}},
        lambda: {'reserva': {'huesped': P('es'), 'recepcionista': P('es'), 'hotel': 'Hotel San Carlos', 'ciudad': town('es')}},
        lambda: {'prenotazione': {'nome': G('it'), 'cognome': S('it'), 'ristorante': 'Trattoria da Marco', 'cameriere': P('it')}},
        lambda: {'factuur': {'opdrachtgever': P('nl'), 'leverancier': C('nl'), 'contactpersoon': P('nl'), 'straat': street('nl')}},
        lambda: {'matricula': {'estudante': P('pt'), 'responsavel': P('pt'), 'escola': 'Escola Santos Dumont', 'professor': P('pt')}},
        lambda: {'wizyta': {'pacjent': P('pl'), 'lekarz': P('pl'), 'przychodnia': C('pl'), 'ulica': street('pl')}},
        lambda: {'arende': {'anmälare': P('sv'), 'handläggare': P('sv'), 'gata': street('sv'), 'bolag': C('sv')}},
    ]},
}[SET]


def restyle(v, s):
    if isinstance(v, dict):
        return {s(k.split(' ')): restyle(x, s) for k, x in v.items()}
    return [restyle(x, s) for x in v] if isinstance(v, list) else v


STYLES = [lambda w: '_'.join(w), lambda w: '_'.join(w), lambda w: w[0] + ''.join(x[:1].upper() + x[1:] for x in w[1:]), lambda w: w[0] + ''.join(x[:1].upper() + x[1:] for x in w[1:]),
          lambda w: '-'.join(w), lambda w: ''.join(x[:1].upper() + x[1:] for x in w)]


def write(v):
    """The record as JSON, and the bytes where its names stand."""
    names = []

    def mark(x):
        if isinstance(x, dict):
            return {k: mark(y) for k, y in x.items()}
        if isinstance(x, list):
            return [mark(y) for y in x]
        if isinstance(x, Name):
            names.append(x)
            return f'@@{len(names) - 1}@@'
        return x

    text, spans = json.dumps(mark(v), ensure_ascii=False, indent=R.choice([None, None, 2])), []
    for i, x in enumerate(names):
        at, put = text.index(f'@@{i}@@'), json.dumps(x, ensure_ascii=False)[1:-1]
        text = text.replace(f'@@{i}@@', put, 1)
        start = len(text[:at].encode())
        spans.append({'start': start, 'end': start + len(put.encode()), 'type': 'PERSON'})
    return text, spans


for i in range(1500):
    lang = 'xx' if R.random() < .2 else 'en'
    j = R.randrange(len(RECORDS[lang]))
    text, spans = write(restyle(RECORDS[lang][j](), R.choice(STYLES)))
    print(json.dumps({'id': f'{SET}-{lang}{j}-{i}', 'text': text, 'spans': spans, 'rule': f'{lang}{j}'}, ensure_ascii=False))
