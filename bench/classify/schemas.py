"""Records of schemas that pkg/classify has not been written for: who is a person in them.

    python bench/classify/schemas.py SET > FILE.jsonl      # SET: e to j

Two sets with no role, no thing and no record in common: half of the lines are a role (or a
thing) in one of a dozen forms, the other half whole records of many trades. Others, g to j,
have records alone. Names, firms and towns are made by Faker (MIT). Spans are what a reader would call a person's name.
"""
import json
import os
import random
import sys
from datetime import datetime

from faker import Faker

if os.environ.get('PYTHONHASHSEED') != '0':  # Faker draws some towns from a set, whose order is another in each process
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, 'PYTHONHASHSEED': '0'})
SET = sys.argv[1] if len(sys.argv) > 1 else 'e'
R = random.Random(SET + 'schemas')
Faker.seed(SET + 'schemas')
LOC = {'en': ['en_US', 'en_GB', 'en_IN', 'en_NG'], 'de': ['de_DE', 'de_AT'], 'fr': ['fr_FR'], 'es': ['es_ES', 'es_MX'],
       'it': ['it_IT'], 'nl': ['nl_NL'], 'pt': ['pt_BR', 'pt_PT'], 'pl': ['pl_PL'], 'sv': ['sv_SE'], 'tr': ['tr_TR'],
       'fi': ['fi_FI'], 'da': ['da_DK'], 'cs': ['cs_CZ'], 'ru': ['ru_RU'], 'ja': ['ja_JP'], 'hu': ['hu_HU'], 'ro': ['ro_RO']}
FAKE = {l: Faker(l) for ls in LOC.values() for l in ls}


class Name(str):
    """A value that is a person's name."""


def fake(lang):
    if R.random() < .15:  # people move
        lang = R.choice([l for l in LOC if l not in ('ru', 'ja')])
    return FAKE[R.choice(LOC[lang])]


def first(lang):
    return Name(fake(lang).first_name())


def last(lang):
    return Name(fake(lang).last_name())


def person(lang):
    f = fake(lang)
    a, b = f.first_name(), f.last_name()
    if lang == 'ja' and ord(b[0]) > 0x2fff:
        return Name(R.choice([b + a, b + ' ' + a]))
    x = R.random()
    if x < .70:
        return Name(f'{a} {b}')
    if x < .78:
        return Name(f'{b}, {a}')
    if x < .84:
        return Name(f'{a} {f.first_name()[0]}. {b}')
    if x < .88:
        return Name(f'{a} {b}-{f.last_name()}')
    if x < .92:
        return Name(f'{a} {b}'.upper())
    if x < .95:
        return Name(f'{a[0]}. {b}')
    if x < .97:
        return Name(f'{a} {f.first_name()} {b}')
    return Name(f'{a} {b}'.lower())


EN = FAKE['en_US']
UNTIL = datetime(2026, 1, 1)  # without it Faker draws up to now, and all that follows is another
WORDS = {
    'product': ['Jordan Flight 23', 'Galaxy Buds', 'Dyson Airwrap', 'Stella Artois', 'Henry Hoover', 'Barbie Dreamhouse', 'Earl Grey Tea', 'Oxford Shirt', 'Charlotte Sofa', 'Mason Jar', 'Levi 501', 'Amber Lamp', 'Victoria Sponge', 'Jack Daniels', 'Kettle Pro', 'Rose Water', 'Ben Nevis Boots'],
    'repo': ['jenkins-core', 'octavia', 'kafka-ui', 'django', 'jordan', 'hello-world', 'madison/site', 'acme/rust-gateway', 'flask', 'Celery', 'Sinatra', 'alice-bot'],
    'ship': ['Queen Mary', 'Ever Given', 'Emma Maersk', 'Marie Celeste', 'Sea Stallion', 'Charles de Gaulle', 'MSC Oscar', 'Santa Maria', 'Erika', 'Jeremiah Obrien'],
    'team': ['Red Sox', 'Platform', 'Growth', 'St. Pauli', 'Charlotte Hornets', 'Orlando Magic', 'Blue Team', 'Team Rocket', 'Santos FC', 'Houston Astros'],
    'place': ['Charlotte', 'Victoria', 'Austin', 'Florence', 'Paris', 'San Jose', 'St. Louis', 'Santa Clara', 'Jackson', 'Sydney', 'Dallas', 'Madison', 'Lincoln', 'Chelsea', 'Brooklyn', 'Valencia', 'Siena', 'Adelaide', 'Orlando', 'Marianne'],
    'book': ['Jane Eyre', 'Anna Karenina', 'David Copperfield', 'Oliver Twist', 'Moby Dick', 'Emma', 'Carmen', 'Rebecca', 'Madame Bovary', 'Lolita', 'Ivanhoe'],
    'species': ['Boxer', 'Maine Coon', 'Jack Russell', 'Bernard Dog', 'Tabby', 'Clydesdale'],
    'status': ['Open', 'Pending Review', 'Closed', 'In Progress', 'Grace Period', 'Mark Complete', 'On Hold'],
    'job': ['Senior Engineer', 'Head Nurse', 'Store Manager', 'Dean', 'Data Analyst', 'Baker', 'Carpenter', 'Chief Financial Officer', 'Mason', 'Sales Associate'],
    'drug': ['Augmentin', 'Prozac', 'Lisinopril', 'Valerian', 'Cymbalta', 'Tamiflu'],
    'host': ['web-01', 'fra1-db3', 'martin', 'apollo', 'venus-node-2', 'build-jenkins', 'alfred'],
    'course': ['Intro to Logic', 'Organic Chemistry', 'Shakespeare and His Time', 'Marx and Engels', 'Swimming for Beginners', 'Bach Analysis'],
    'song': ['Angie', 'Billie Jean', 'Roxanne', 'Hey Jude', 'Eleanor Rigby', 'Jolene', 'Layla', 'Dear Prudence'],
    'model': ['Alfa Romeo Giulia', 'Mercedes Benz', 'Ford Escort', 'Renault Clio', 'Lincoln Continental', 'Mini Cooper', 'Tesla Model Y', 'Skoda Octavia', 'Chevrolet Malibu'],
    'school': ['Lincoln High', 'Washington Elementary', 'St. Mary College', 'Trinity', 'Martin Luther King School', 'Saint Anselm'],
}


def thing(kind, lang):
    f = FAKE[LOC[lang][0]]
    if kind == 'company':
        return f.company()
    if kind == 'city':
        return f.city()
    if kind == 'user':
        return EN.user_name()
    if kind == 'street':
        return f.street_name()
    return R.choice(WORDS[kind])


# Roles: whoever stands there is a person. Words of a key stand apart; the style is drawn later.
ROLES = {'e': {
    'en': 'assignee,code reviewer,approver,hotel guest,patient,truck driver,beneficiary,tenant,landlord,claimant,cardholder,payee,recipient,instructor,pupil,guardian,juror,defendant,eyewitness,bailiff,surgeon,registered nurse,caregiver,blood donor,passenger,co pilot,courier,foreman,site inspector,lead auditor,notary,heir,spouse,godmother,referee,coach,team captain,curator,composer,copy editor,translator,accountable person,reported by,signed by,handled by,next of kin,attending physician,line manager,account exec,customer rep,primary contact,billing contact,plan participant,dependent,policy owner,second driver',
    'de': 'sachbearbeiter,mieter,vermieter,versicherungsnehmer,halter,fahrer,kontoinhaber,empfaenger,absender,ansprechpartner,patient,arzt,schueler,lehrerin,mitarbeiter,bearbeitet von',
    'fr': 'titulaire,locataire,beneficiaire,conducteur,destinataire,medecin traitant,eleve,responsable,salarie,plaignant,temoin,interlocuteur',
    'es': 'titular,inquilino,beneficiario,conductor,destinatario,medico,alumno,responsable,empleado,demandante,testigo,huesped',
    'it': 'intestatario,inquilino,beneficiario,conducente,destinatario,medico curante,alunno,responsabile,dipendente,testimone',
    'nl': 'huurder,verhuurder,begunstigde,bestuurder,ontvanger,huisarts,leerling,medewerker,contactpersoon,verzekerde',
    'pt': 'titular,inquilino,beneficiario,motorista,destinatario,medico,aluno,responsavel,funcionario,testemunha',
    'pl': 'najemca,kierowca,odbiorca,nadawca,lekarz,uczen,pracownik,swiadek,ubezpieczony,opiekun',
    'sv': 'hyresgast,forare,mottagare,avsandare,lakare,elev,anstalld,vittne,handlaggare,kontaktperson',
    'tr': 'kiraci,surucu,alici,gonderen,doktor,ogrenci,calisan,tanik,sigortali,yetkili kisi',
    'ru': 'арендатор,водитель,получатель,отправитель,врач,ученик,сотрудник,свидетель',
    'ja': '担当者,患者,運転手,受取人,契約者,生徒',
    'fi': 'vuokralainen,kuljettaja,vastaanottaja,laakari,oppilas,tyontekija',
}, 'f': {
    'en': 'requester,submitter,escalation contact,party host,co host,occupant,subtenant,midwife,dentist,therapist,executor,trustee,borrower,guarantor,subscriber,registrant,applicant,nominee,interviewer,recruiter,hiring manager,trainee,mentor,dispatcher,consignee,forklift operator,bank teller,cashier,waiter,sous chef,bride,groom,officiant,choreographer,film director,producer,illustrator,narrator,arbitrator,mediator,complainant,respondent,paralegal,court clerk,warden,inmate,parole officer,veteran,custodian,grantor,signatory,countersigned by,verified by,prepared by,checked in by,inspected by,backup oncall,shift lead,account holder,insured party,emergency person,lodger,visitor,attendee,seller,buyer,winner,finder,reporter,maintainer,plumber,electrician,gardener,translator on duty,lifeguard,chaperone,tutor,teacher,headmaster,examiner,candidate,voter,councillor,mayor,pastor,soloist',
    'de': 'antragsteller,kaeufer,verkaeufer,bauherr,gutachter,zeugin,richter,bevollmaechtigter,vormund,auszubildender,hausmeister,pflegekraft,teilnehmer,unterzeichner,erstellt durch,gast',
    'fr': 'demandeur,acheteur,vendeur,proprietaire,expert,juge,tuteur,apprenti,gardien,infirmiere,participant,signataire,voyageur',
    'es': 'solicitante,comprador,vendedor,propietario,perito,juez,tutor,aprendiz,conserje,enfermera,participante,firmante,viajero,paciente',
    'it': 'richiedente,acquirente,venditore,proprietario,perito,giudice,tutore,apprendista,infermiere,partecipante,firmatario,ospite',
    'nl': 'aanvrager,koper,verkoper,eigenaar,rechter,voogd,stagiair,verpleegkundige,deelnemer,ondertekenaar,reiziger',
    'pt': 'requerente,comprador,vendedor,proprietario,perito,juiz,tutor,estagiario,enfermeira,participante,signatario,hospede,paciente',
    'pl': 'wnioskodawca,kupujacy,sprzedajacy,wlasciciel,biegly,sedzia,praktykant,pielegniarka,uczestnik,pacjent,gosc',
    'sv': 'sokande,kopare,saljare,agare,domare,praktikant,sjukskoterska,deltagare,patient,gast',
    'tr': 'basvuran,satici,mal sahibi,bilirkisi,hakim,stajyer,hemsire,katilimci,hasta,misafir',
    'ru': 'заявитель,покупатель,продавец,владелец,судья,медсестра,участник,пациент,гость',
    'ja': '申込者,購入者,所有者,看護師,参加者,宿泊者',
    'fi': 'hakija,ostaja,omistaja,tuomari,sairaanhoitaja,osallistuja,potilas,vieras',
}}
# Things: what stands there is no person, whatever it looks like.
THINGS = {'e': 'product:product,item:product,article title:book,repository:repo,project:repo,vessel:ship,team:team,city:place,destination:place,office:place,company:company,employer:company,supplier:company,insurer:company,book:book,dog breed:species,status:status,job title:job,medication:drug,hostname:host,server:host,course:course,track:song,vehicle:model,school:school,username:user,login:user,street:street,brand:company,branch:place,campus:place,department:job,category:product,hotel:place,manufacturer:company',
          'f': 'sku label:product,dish:product,catalog entry:product,package:repo,namespace:repo,codebase:repo,ferry:ship,boat:ship,squad:team,club:team,league:team,birthplace:place,port of loading:place,warehouse:place,region:place,venue:place,airport:place,law firm:company,carrier:company,publisher:company,agency:company,bank:company,contractor firm:company,novel:book,opera:book,breed:species,stage:status,priority:status,occupation:job,position:job,active ingredient:drug,machine:host,node:host,cluster:host,module:course,lecture:course,album:song,single:song,car:model,make and model:model,academy:school,university:school,handle:user,screen name:user,road:street,clinic:company,garage:company,restaurant:company,county:city,municipality:city'}
THINGS = {k: [tuple(x.split(':')) for x in v.split(',')] for k, v in THINGS.items()}
THING_WORDS = {  # the same in other languages: key, kind
    'e': {'de': 'firma:company,stadt:city,strasse:street,produkt:product,schiff:ship,abteilung:job,verein:team,schule:school', 'fr': 'societe:company,ville:city,rue:street,produit:product,navire:ship,ecole:school', 'es': 'empresa:company,ciudad:city,calle:street,producto:product,barco:ship,escuela:school', 'it': 'azienda:company,citta:city,via:street,prodotto:product,nave:ship', 'nl': 'bedrijf:company,plaats:city,straat:street,schip:ship', 'pt': 'empresa:company,cidade:city,rua:street,produto:product,navio:ship', 'pl': 'firma:company,miasto:city,ulica:street,produkt:product,statek:ship', 'sv': 'foretag:company,stad:city,gata:street,produkt:product', 'tr': 'sirket:company,sehir:city,sokak:street,urun:product', 'ru': 'компания:company,город:city,улица:street', 'ja': '会社:company,都市:city', 'fi': 'yritys:company,kaupunki:city'},
    'f': {'de': 'arbeitgeber:company,geburtsort:city,hersteller:company,artikel:product,gemeinde:city,fahrzeug:model,beruf:job', 'fr': 'employeur:company,lieu de naissance:city,fabricant:company,article:product,commune:city,vehicule:model', 'es': 'empleador:company,lugar de nacimiento:city,fabricante:company,articulo:product,municipio:city,vehiculo:model', 'it': 'datore di lavoro:company,luogo di nascita:city,fornitore:company,articolo:product,comune:city', 'nl': 'werkgever:company,geboorteplaats:city,leverancier:company,artikel:product,gemeente:city', 'pt': 'empregador:company,local de nascimento:city,fabricante:company,artigo:product,municipio:city', 'pl': 'pracodawca:company,miejsce urodzenia:city,producent:company,towar:product,gmina:city', 'sv': 'arbetsgivare:company,fodelseort:city,tillverkare:company,kommun:city', 'tr': 'isveren:company,dogum yeri:city,uretici:company,ilce:city', 'ru': 'работодатель:company,место рождения:city,производитель:company', 'ja': '勤務先:company,出生地:city', 'fi': 'tyonantaja:company,syntymapaikka:city,kunta:city'}}
PARTS = {  # full name, forename, surname, of a word for a name behind a role
    'en': [('name', 'first name', 'last name'), ('full name', 'given name', 'family name'), ('name', 'fname', 'lname'), ('nm', 'first', 'last'), ('display name', 'forename', 'surname')],
    'de': [('name', 'vorname', 'nachname'), ('name', 'vorname', 'zuname'), ('vollname', 'rufname', 'familienname')], 'fr': [('nom complet', 'prenom', 'nom'), ('nom', 'prenom', 'nom de famille')],
    'es': [('nombre completo', 'nombre', 'apellidos'), ('nombre', 'nombre', 'primer apellido')], 'it': [('nominativo', 'nome', 'cognome'), ('nome', 'nome', 'cognome')],
    'nl': [('naam', 'voornaam', 'achternaam'), ('naam', 'roepnaam', 'familienaam')], 'pt': [('nome completo', 'nome', 'sobrenome'), ('nome', 'primeiro nome', 'apelido')],
    'pl': [('imie i nazwisko', 'imie', 'nazwisko')], 'sv': [('namn', 'fornamn', 'efternamn')], 'tr': [('ad soyad', 'ad', 'soyad'), ('adi', 'isim', 'soyisim')],
    'ru': [('фио', 'имя', 'фамилия')], 'ja': [('氏名', '名', '姓'), ('名前', '名', '姓')], 'fi': [('nimi', 'etunimi', 'sukunimi')]}


def forms(role, lang):
    """A person behind a role, in one of a dozen forms."""
    p, (full, f, l) = person(lang), R.choice(PARTS[lang])
    x = R.randrange(13)
    noise = {'id': R.randrange(10000), 'email': EN.email()} if R.random() < .5 else {'ref': EN.bothify('??-####')}
    if x <= 3:
        return {role: p}
    if x == 4:
        return {f'{role} {full}': p}
    if x == 5:
        return {role: {full: p, **noise}}
    if x == 6:
        return {role: {f: first(lang), l: last(lang), **noise}}
    if x == 7:
        return {f'{role} {f}': first(lang), f'{role} {l}': last(lang)}
    if x == 8:
        return {role + ('s' if lang == 'en' else ''): [{full: p, **noise}, {full: person(lang), **noise}]}
    if x == 9:
        return {role + ('s' if lang == 'en' else ''): [p, person(lang)]}
    if x == 10:
        return {role: {'details' if lang == 'en' else 'info': {full: p}, 'id': 17}}
    if x == 11:
        return {R.choice(['answers', 'attributes', 'custom fields']): [{'field': role.replace(' ', R.choice([' ', '_'])), 'value': p}]}
    return {role: {'value': p, 'type': 'string'}}


def thing_forms(word, kind, lang):
    v, full = thing(kind, lang), PARTS[lang][0][0]
    if lang in ('es', 'fr', 'pl', 'tr', 'pt', 'ru', 'ja'):
        full = {'es': 'nombre', 'fr': 'nom', 'pl': 'nazwa', 'tr': 'ad', 'pt': 'nome', 'ru': 'название', 'ja': '名称'}[lang]
    x = R.randrange(8)
    if x <= 1:
        return {word: v}
    if x == 2:
        return {f'{word} {full}': v}
    if x == 3:
        return {word: {full: v, 'id': R.randrange(10000)}}
    if x == 4:
        return {word + ('s' if lang == 'en' else ''): [{full: v}, {full: thing(kind, lang)}]}
    if x == 5:
        return {word: {'info': {full: v}, 'active': True}}
    if x == 6:
        return {R.choice(['inputs', 'properties', 'extra']): [{'field': word, 'value': v}]}
    return {word: {'code': EN.bothify('??##').upper(), full: v}}


def mixed():
    lang = 'en' if R.random() < .4 else R.choice([l for l in ROLES[SET] if l != 'en'])
    d = {}
    for _ in range(R.randrange(1, 4)):
        d.update(forms(R.choice(ROLES[SET][lang].split(',')), lang))
    for _ in range(R.randrange(1, 4)):
        if lang == 'en' or R.random() < .3:
            d.update(thing_forms(*R.choice(THINGS[SET]), 'en'))
        else:
            w, k = R.choice(THING_WORDS[SET][lang].split(',')).split(':')
            d.update(thing_forms(w, k, lang))
    d[R.choice(['created at', 'updated', 'ts', 'date'])] = EN.iso8601(end_datetime=UNTIL)
    ks = list(d)
    R.shuffle(ks)
    return {k: d[k] for k in ks}


P, F, L = person, first, last
t = thing
RECORDS = {'h': [
    lambda: {'loan': {'mainBorrower': P('en'), 'coBorrower': P('en'), 'lender': t('company', 'en'), 'collateral': t('model', 'en')}},
    lambda: {'visa': {'applicantSurname': L('en'), 'applicantGivenNames': F('en'), 'placeOfIssue': t('place', 'en'), 'sponsor': t('company', 'en')}},
    lambda: {'kids_camp': [{'camper': P('en'), 'pickup_person': P('en'), 'cabin': 'Madison'}, {'camper': P('en'), 'pickup_person': P('en'), 'cabin': 'Jackson'}]},
    lambda: {'meeting': {'chair': P('en'), 'minutesTakenBy': P('en'), 'apologies': [P('en'), P('en')], 'room': 'Ada Lovelace'}},
    lambda: {'garage_job': {'cust_nm': P('en'), 'mech': P('en'), 'vehicle_desc': t('model', 'en'), 'parts_from': t('company', 'en')}},
    lambda: {'podcast': {'hosts': [P('en')], 'guests': [{'who': P('en')}], 'show': 'The Daily Henry', 'network': 'Wondery'}},
    lambda: {'grant': {'PI': P('en'), 'coInvestigators': [P('en')], 'funder': 'Wellcome', 'institution': t('school', 'en')}},
    lambda: {'obituary': {'name_of_deceased': P('en'), 'survived_by': [P('en'), P('en')], 'newspaper': 'Madison Courier'}},
    lambda: {'order': {'ship_to_name': P('en'), 'sold_to': P('en'), 'gift_wrap': 'Rose', 'items': [{'title': t('product', 'en'), 'vendor': t('company', 'en')}]}},
    lambda: {'Rezept': {'Verordner': P('de'), 'Versicherter': {'Nachname': L('de'), 'Vorname': F('de')}, 'Kasse': 'AOK Bayern', 'Apotheke': 'Rosen Apotheke'}},
    lambda: {'Baustelle': {'Polier': P('de'), 'Bauleitung': P('de'), 'Firma': t('company', 'de'), 'Strasse': t('street', 'de')}},
    lambda: {'kita': {'kind_name': P('de'), 'abholberechtigt': [P('de'), P('de')], 'gruppe': 'Anna Gruppe'}},
    lambda: {'mariage': {'époux1': P('fr'), 'époux2': P('fr'), 'officierEtatCivil': P('fr'), 'mairie': t('city', 'fr')}},
    lambda: {'sinistre': {'déclarant': P('fr'), 'tiersImpliqué': P('fr'), 'assureurAdverse': t('company', 'fr')}},
    lambda: {'multa': {'infractor': P('es'), 'titularVehiculo': P('es'), 'matricula': '1234 BCD', 'lugar': t('city', 'es')}},
    lambda: {'escritura': {'otorgante': P('es'), 'notarioAutorizante': P('es'), 'finca': 'Finca Santa Rosa'}},
    lambda: {'ricovero': {'degente': P('it'), 'medicoDiReparto': P('it'), 'reparto': 'Cardiologia'}},
    lambda: {'offerte': {'klantnaam': P('nl'), 'opgesteldDoor': P('nl'), 'bedrijf': t('company', 'nl')}},
    lambda: {'inscricao': {'nomeCompleto': P('pt'), 'nomeResponsavel': P('pt'), 'escola': 'Escola Santa Clara', 'bairro': t('city', 'pt')}},
    lambda: {'reklamacja': {'klient': P('pl'), 'rozpatruje': P('pl'), 'produkt': t('product', 'en'), 'sklep': t('company', 'pl')}},
    lambda: {'hyresavtal': {'förstahandshyresgäst': P('sv'), 'inneboende': P('sv'), 'fastighet': 'Kvarteret Erik'}},
    lambda: {'randevu': {'hastaAdSoyad': P('tr'), 'hekimAdi': P('tr'), 'poliklinik': 'Dahiliye'}},
    lambda: {'анкета': {'ф_и_о': P('ru'), 'супруга': P('ru'), 'работодатель': t('company', 'ru'), 'город': t('city', 'ru')}},
    lambda: {'診察': {'患者名': P('ja'), '担当医': P('ja'), '病院名': '東京中央病院'}},
    lambda: {'sopimus': {'vuokraaja': P('fi'), 'allekirjoittaja': P('fi'), 'kohde': t('city', 'fi')}},
    lambda: {'data': {'viewer': {'profile': {'displayName': P('en')}}, 'repository': {'name': 'jenkins', 'owner': {'login': t('user', 'en')}}}},
    lambda: {'object': 'issuing.cardholder', 'individual': {'first_name': F('en'), 'last_name': L('en')}, 'company': None, 'status': 'active', 'merchant': {'name': t('company', 'en'), 'city': t('place', 'en')}},
    lambda: {'resourceType': 'Coverage', 'subscriber': {'display': P('en')}, 'beneficiary': {'display': P('en')}, 'payor': [{'display': 'Aetna'}]},
    lambda: {'OBX': {'OBX.16': P('en')}, 'GT1': {'GT1.3.1': L('en'), 'GT1.3.2': F('en')}, 'PV1': {'PV1.7.2': L('en'), 'PV1.7.3': F('en')}},
    lambda: {'jury': {'jurorNo4': P('en'), 'alternate': P('en'), 'courtroom': 'Lincoln 2'}, 'bench': {'presiding': P('en')}},
    lambda: {'columns': ['Room', 'Guest', 'Nationality'], 'rows': [['12', P('it'), 'Italy'], ['14', P('pl'), 'Jordan']]},
    lambda: {'alert': {'acknowledgedBy': P('en'), 'host': t('host', 'en'), 'runbook': 'Restart Athena', 'team': t('team', 'en')}},
    lambda: {'auction': {'winning_bidder': P('en'), 'lot': 'Portrait of Emma', 'artist': P('en'), 'house': 'Christies'}},
    lambda: {'pkg': {'maintainers': [{'name': P('en')}], 'name': t('repo', 'en'), 'bundled': [{'name': 'lodash'}]}},
    lambda: {'fleet': {'truck': {'name': 'Bertha'}, 'assigned_driver': P('en'), 'codriver': P('pl'), 'route': {'name': 'Dallas Loop'}}},
], 'g': [
    lambda: {'fuelCard': {'embossed': Name(P('en').upper()), 'fleet': 'Jackson Haulage', 'limit': 300}, 'station': t('place', 'en')},
    lambda: {'triage': {'arrivedBy': 'ambulance', 'seenBy': P('en'), 'pt': {'sur': L('en'), 'fore': F('en')}, 'bay': 'Nightingale 2'}},
    lambda: {'dive_log': {'diver': P('en'), 'buddy': P('en'), 'boat': t('ship', 'en'), 'site': 'Blue Hole'}},
    lambda: {'ballot': {'voter_nm': P('en'), 'precinct': t('place', 'en'), 'witnessed_by': P('en')}},
    lambda: {'tow': {'vehicle': t('model', 'en'), 'registered_keeper': P('en'), 'towed_by': t('company', 'en')}},
    lambda: {'crew_list': [{'pos': 'CPT', 'crew_nm': P('en')}, {'pos': 'FO', 'crew_nm': P('de')}], 'tail': 'D-AIMA', 'base': t('place', 'en')},
    lambda: {'rental': {'renter': {'nameGiven': F('en'), 'nameFamily': L('en')}, 'extraDrivers': [P('en')], 'car': t('model', 'en'), 'desk': 'Orlando Airport'}},
    lambda: {'gift_card': {'from': P('en'), 'to': P('en'), 'msg': 'Happy Birthday', 'brand': t('company', 'en')}},
    lambda: {'autopsy': {'decedent': P('en'), 'examiner': P('en'), 'morgue': 'Lincoln County'}},
    lambda: {'thesis': {'candidate': P('de'), 'supervisors': [P('de'), P('en')], 'title': 'On Euler and Gauss', 'faculty': 'Mathematik'}},
    lambda: {'Mietvertrag': {'Vermieter': {'Vorname': F('de'), 'Name': L('de')}, 'Mieter': [P('de'), P('de')], 'Objekt': 'Haus Anna', 'Ort': t('city', 'de')}},
    lambda: {'unfall': {'verursacher': P('de'), 'beifahrerin': P('de'), 'polizeidienststelle': 'Revier Mitte', 'werkstatt': t('company', 'de')}},
    lambda: {'bulletin': {'élève': P('fr'), 'professeurPrincipal': P('fr'), 'établissement': 'Lycée Victor Hugo', 'matière': 'Histoire'}},
    lambda: {'constat': {'conducteurA': P('fr'), 'conducteurB': P('fr'), 'témoins': [P('fr')], 'garage': t('company', 'fr')}},
    lambda: {'historia': {'acompañante': P('es'), 'medicoTratante': P('es'), 'sede': 'Clinica Santa Maria', 'farmaco': t('drug', 'en')}},
    lambda: {'matricula': {'alumno': {'nombres': F('es'), 'apellidoPaterno': L('es'), 'apellidoMaterno': L('es')}, 'colegio': 'Colegio San Martin'}},
    lambda: {'bolletta': {'intestataria': P('it'), 'indirizzo': t('street', 'it'), 'gestore': t('company', 'it')}},
    lambda: {'verbale': {'trasgressore': P('it'), 'agenteAccertatore': P('it'), 'veicolo': t('model', 'en')}},
    lambda: {'dossier': {'cliëntnaam': P('nl'), 'behandelaar': P('nl'), 'locatie': t('city', 'nl')}},
    lambda: {'prontuario': {'nomePaciente': P('pt'), 'nomeSocial': P('pt'), 'medicoResponsavel': P('pt'), 'unidade': 'Hospital Santa Rita'}},
    lambda: {'recepta': {'wystawil': P('pl'), 'pacjent': {'imie': F('pl'), 'nazwisko': L('pl')}, 'apteka': t('company', 'pl')}},
    lambda: {'journal': {'vårdtagare': P('sv'), 'ansvarig_läkare': P('sv'), 'klinik': 'Sankt Göran'}},
    lambda: {'poliçe': {'sigorta ettiren': P('tr'), 'lehtar': P('tr'), 'acente': t('company', 'tr')}},
    lambda: {'протокол': {'председатель': P('ru'), 'секретарь': P('ru'), 'докладчики': [P('ru')], 'место': t('city', 'ru')}},
    lambda: {'予約': {'代表者氏名': P('ja'), '同行者': [P('ja')], '宿泊先': 'ホテル東京'}},
    lambda: {'subscription': {'cust': {'disp_nm': P('en'), 'co': t('company', 'en')}, 'csm': P('en'), 'plan': 'Victoria Plus'}},
    lambda: {'entry': [{'fullUrl': 'urn:x', 'resource': {'resourceType': 'Person', 'name': [{'text': P('en')}], 'managingOrganization': {'display': 'Mercy One'}}}]},
    lambda: {'pull': {'merged_by': {'login': t('user', 'en'), 'display': P('en')}, 'requested_reviewers': [{'display': P('en')}], 'base': {'repo': {'name': 'sinatra'}, 'ref': 'main'}}},
    lambda: {'invoice_settings': {'recipient_name': P('en'), 'footer': 'Thanks, Team Atlas'}, 'statement': {'account_holder': {'party': P('en')}}, 'issuer_bank': 'Morgan Stanley'},
    lambda: {'shipment_event': {'signedForBy': P('en'), 'signature_name': Name(P('en').upper()), 'scanLocation': t('place', 'en'), 'vessel': {'name': t('ship', 'en')}}},
    lambda: {'headers': ['Mitarbeiter', 'Abteilung', 'Standort'], 'values': [[P('de'), 'Einkauf', t('city', 'de')], [P('de'), 'Labor', t('city', 'de')]]},
    lambda: {'products': [{'product_nm': t('product', 'en'), 'maker': t('company', 'en')}], 'warehouse': {'nm': 'Dallas 2'}, 'buyer': P('en')},
    lambda: {'monitors': [{'monitor': {'name': 'Alice Healthcheck'}, 'pager': {'user': {'summary': P('en')}}}], 'service': {'summary': 'Apollo'}},
    lambda: {'contact': {'props': {'firstname': {'value': F('en')}, 'lastname': {'value': L('en')}, 'hs_lead_status': {'value': 'Open'}, 'company': {'value': t('company', 'en')}}}},
    lambda: {'seats': [{'seat': '4A', 'occupied_by': P('en')}, {'seat': '4B', 'occupied_by': P('fr')}], 'aircraft': {'name': 'Amelia'}, 'gate': 'Victor 3'},
    lambda: {'parish': {'baptised': P('it'), 'godparents': [P('it'), P('it')], 'celebrant': P('it'), 'church': 'San Marco'}},
    lambda: {'lab': {'collected_by': P('en'), 'ordering_provider': P('en'), 'specimen': 'Serum', 'analyzer': 'Cobas'}},
    lambda: {'squad': {'skipper': P('en'), 'keeper': P('en'), 'club': t('team', 'en'), 'ground': 'Jordan Park'}},
], 'e': [
    # FHIR
    lambda: {'resourceType': 'Practitioner', 'name': [{'use': 'official', 'family': L('en'), 'given': [F('en'), F('en')], 'prefix': ['Dr.']}], 'qualification': [{'code': {'text': 'Doctor of Medicine'}}], 'managingOrganization': {'display': 'Mercy Hospital'}},
    lambda: {'resourceType': 'Encounter', 'subject': {'reference': 'Patient/77', 'display': P('en')}, 'participant': [{'individual': {'display': P('en')}}], 'location': [{'location': {'display': 'Ward Florence'}}], 'serviceProvider': {'display': 'St. Jude Clinic'}},
    # payments
    lambda: {'id': 'ch_3Nq', 'object': 'charge', 'billing_details': {'name': P('en'), 'address': {'city': t('city', 'en'), 'line1': '1 Main'}}, 'shipping': {'name': P('fr'), 'carrier': 'Fedex'}, 'description': 'Jordan Flight 23', 'statement_descriptor': 'MARTIN SHOES', 'payment_method_details': {'card': {'brand': 'visa', 'issuer': 'Charles Schwab'}}},
    lambda: {'object': 'payout', 'destination': {'account_holder_name': P('de'), 'bank_name': 'Wells Fargo', 'last4': '4242'}, 'business_profile': {'name': t('company', 'en'), 'support_email': 'a@example.org'}},
    # hosting of code
    lambda: {'action': 'opened', 'pull_request': {'title': 'Rename Martin to Atlas', 'user': {'login': t('user', 'en'), 'type': 'User'}, 'head': {'label': 'jordan:fix', 'repo': {'full_name': 'jordan/charlotte', 'name': 'charlotte'}}, 'milestone': {'title': 'Victoria'}}, 'head_commit': {'author': {'name': P('en'), 'email': EN.email(), 'username': t('user', 'en')}, 'committer': {'name': P('pl'), 'email': EN.email()}}},
    # hospital feed
    lambda: {'PID': {'PID.5': {'PID.5.1': L('en'), 'PID.5.2': F('en')}, 'PID.7': '19800402'}, 'PV1': {'PV1.3': {'PV1.3.1': 'ICU', 'PV1.3.4': 'Mercy General'}}, 'MSH': {'MSH.3': 'EPIC', 'MSH.4': 'MADISON'}},
    lambda: {'patient_last_nm': L('en'), 'patient_first_nm': F('en'), 'pat_mid_init': 'J', 'ord_phys_last_nm': L('en'), 'ord_phys_first_nm': F('en'), 'facility_nm': 'Grace Medical', 'drug_nm': t('drug', 'en')},
    # booking
    lambda: {'reservation': {'leadGuest': {'title': 'Ms', 'firstName': F('fr'), 'lastName': L('fr')}, 'companions': [P('fr'), P('en')], 'property': {'name': 'Hotel Victoria', 'city': t('place', 'en')}, 'roomType': 'Queen Mary Suite', 'bookedBy': P('en'), 'agency': t('company', 'fr')}},
    lambda: {'pnr': 'XK4F2T', 'pax': [{'ttl': 'MR', 'nm': Name(P('en').upper()), 'seat': '12C'}], 'carrier': 'Emirates', 'aircraft': 'Airbus A380', 'orig': 'DXB', 'dest_city': t('place', 'en')},
    # pay
    lambda: {'EmployeeRecord': {'EmpFirstNm': F('en'), 'EmpLastNm': L('en'), 'SupervisorNm': P('en'), 'CostCenter': 'Madison', 'PayGroup': 'Weekly Jackson', 'BankNm': 'Chase'}},
    lambda: {'Gehaltsabrechnung': {'Arbeitnehmer': P('de'), 'Personalnummer': '00412', 'Krankenkasse': 'Barmer', 'Arbeitgeber': t('company', 'de'), 'Steuerklasse': 'I'}},
    # court
    lambda: {'docket': '3:21-cv-0044', 'caption': 'State v. Unknown', 'parties': [{'role': 'plaintiff', 'name': P('en'), 'counsel': P('en')}, {'role': 'defendant', 'name': P('en'), 'counsel': P('en')}], 'court': 'Northern District of Lincoln', 'clerk_of_court': P('en')},
    # school
    lambda: {'enrollment': {'child': {'first': F('es'), 'last': L('es')}, 'mother': P('es'), 'father': P('es'), 'homeroom': 'Washington B', 'school_name': t('school', 'en'), 'homeroom_teacher': P('en')}},
    lambda: {'grade_sheet': [{'stu': P('en'), 'mark': 'A'}, {'stu': P('pl'), 'mark': 'B'}], 'subj': t('course', 'en'), 'taught_by': P('en')},
    # logistics
    lambda: {'waybill': '774-1', 'shipFrom': {'contact': P('de'), 'company': t('company', 'de'), 'town': t('city', 'de')}, 'shipTo': {'contact': P('nl'), 'company': t('company', 'nl'), 'town': t('city', 'nl')}, 'driver': {'nm': P('pl'), 'plate': 'WX 4421'}, 'vessel': t('ship', 'en'), 'podSignedBy': P('nl')},
    lambda: {'stops': [{'seq': 1, 'consignor': P('en'), 'depot': 'Houston'}, {'seq': 2, 'pickedUpFrom': P('en'), 'depot': 'Jackson'}], 'rider': P('en'), 'bike': 'Triumph Bonneville'},
    # insurance
    lambda: {'policy': {'insured': {'primary': P('en'), 'secondary': P('en')}, 'underwriter': P('en'), 'broker': {'agent': P('en'), 'firm': t('company', 'en')}, 'vehicle': {'make': 'Ford', 'model': t('model', 'en')}}},
    # spanish, portuguese, italian, french, dutch forms
    lambda: {'expediente': {'interesado': P('es'), 'representante': P('es'), 'organismo': 'Ayuntamiento de Santa Cruz', 'asunto': 'Licencia'}},
    lambda: {'cadastro': {'nomeDaMae': P('pt'), 'nomeDoPai': P('pt'), 'naturalidade': t('city', 'pt'), 'nomeFantasia': t('company', 'pt')}},
    lambda: {'anagrafica': {'cognome': L('it'), 'nome': F('it'), 'ragioneSociale': t('company', 'it'), 'comuneNascita': t('city', 'it')}},
    lambda: {'dossier': {'nomNaissance': L('fr'), 'prenomUsuel': F('fr'), 'conjoint': P('fr'), 'raisonSociale': t('company', 'fr'), 'villeNaissance': t('city', 'fr')}},
    lambda: {'aanmelding': {'aanvrager': {'voorletters': 'J.P.', 'achternaam': L('nl')}, 'partner': P('nl'), 'werkgever': t('company', 'nl'), 'woonplaats': t('city', 'nl')}},
    lambda: {'zgloszenie': {'zglaszajacy': P('pl'), 'imie_ojca': F('pl'), 'nazwisko_panienskie': L('pl'), 'nazwa_firmy': t('company', 'pl')}},
    lambda: {'kayit': {'hastaAdi': F('tr'), 'hastaSoyadi': L('tr'), 'anneAdi': F('tr'), 'hastane': 'Acibadem'}},
    lambda: {'заявка': {'фамилия': L('ru'), 'имя': F('ru'), 'контактное_лицо': P('ru'), 'организация': t('company', 'ru')}},
    # tickets
    lambda: {'ticket': {'raisedBy': P('en'), 'ownedBy': P('en'), 'watchers': [{'displayName': P('en')}], 'component': 'Gateway', 'sprint': 'Sprint Curie', 'epic': {'name': 'Project Lovelace'}, 'status': t('status', 'en')}},
    lambda: {'case': {'Contact__r': {'Name': P('en')}, 'Account': {'Name': t('company', 'en')}, 'Owner': {'Name': P('en'), 'Alias': t('user', 'en')}, 'RecordType': {'Name': 'Grant Request'}}},
    lambda: {'event': {'name': 'Rose Festival', 'speakers': [{'speaker': P('en'), 'talk': 'Meet Ada'}, {'speaker': P('en'), 'talk': 'On Turing'}], 'mc': P('en'), 'sponsors': [{'name': t('company', 'en')}]}},
    lambda: {'property': {'seller_1': P('en'), 'seller_2': P('en'), 'listing_agent': P('en'), 'brokerage': t('company', 'en'), 'subdivision': 'Jefferson Park', 'street': t('street', 'en')}},
    lambda: {'pet': {'name': 'Rex', 'breed': t('species', 'en'), 'owner': {'fn': F('en'), 'ln': L('en')}, 'vet': P('en')}},
    lambda: {'will': {'testator': P('en'), 'heirs': [P('en'), P('en')], 'executors': [P('en')], 'estate': 'Madison House'}},
    lambda: {'catalog': [{'title': t('book', 'en'), 'authors': [P('en')], 'publisher': 'Harper Collins'}, {'title': t('song', 'en'), 'performer': P('en'), 'label': 'Virgin'}]},
    lambda: {'cargo': {'vessel': {'name': t('ship', 'en'), 'master': P('en'), 'flag': 'Jersey'}, 'crew': [{'rank': 'bosun', 'name': P('en')}, {'rank': 'cook', 'name': P('pl')}]}},
    lambda: {'columns': ['id', 'customer', 'rep'], 'rows': [[1, P('en'), P('en')], [2, P('de'), P('en')]]},
    lambda: {'packages': [{'name': 'celery', 'version': '5.2'}, {'name': 'jinja', 'version': '3.1'}], 'services': [{'name': 'apollo'}, {'name': 'athena'}], 'cluster': {'name': 'odin'}, 'region': {'name': 'virginia'}},
    lambda: {'feature': {'key': 'clara', 'name': 'Clara Rollout', 'owner_team': 'Growth'}, 'env': {'name': 'Martin Staging'}, 'flag': {'name': 'Julia Beta'}},
    lambda: {'menu': {'dish_name': t('product', 'en'), 'section': 'Bella Italia', 'chef': P('it')}, 'restaurant': {'name': 'Wendys'}},
], 'f': [
    lambda: {'resourceType': 'RelatedPerson', 'relationship': [{'text': 'mother'}], 'name': [{'text': P('en'), 'family': L('en')}], 'patient': {'display': P('en')}},
    lambda: {'resourceType': 'MedicationRequest', 'requester': {'display': P('en')}, 'medicationCodeableConcept': {'text': t('drug', 'en')}, 'recorder': {'display': P('en')}, 'insurance': [{'display': 'Blue Cross'}]},
    lambda: {'resourceType': 'Organization', 'name': t('company', 'en'), 'contact': [{'name': {'family': L('en'), 'given': [F('en')]}}], 'alias': ['St. Martin']},
    lambda: {'object': 'customer', 'name': P('en'), 'email': EN.email(), 'metadata': {'account_manager': P('en'), 'store': 'Austin South'}, 'tax_info': {'legal_entity': t('company', 'en')}},
    lambda: {'type': 'dispute', 'evidence': {'customer_name': P('en'), 'customer_signature': P('en'), 'product_description': 'Amber Lamp', 'shipping_carrier': 'Royal Mail'}},
    lambda: {'object_kind': 'merge_request', 'assignees': [{'name': P('en'), 'username': t('user', 'en')}], 'labels': [{'title': 'Carmen'}], 'project': {'name': 'Sinatra', 'path_with_namespace': 'frank/sinatra'}, 'last_commit': {'author': {'name': P('en')}, 'title': 'Bump Celery'}},
    lambda: {'release': {'tag_name': 'v1', 'name': 'Ophelia', 'author': {'login': t('user', 'en')}}, 'contributors': [{'real_name': P('en')}, {'real_name': P('de')}], 'image': {'name': 'debian'}},
    lambda: {'NK1': {'Name': {'FamilyName': L('en'), 'GivenName': F('en')}, 'Relationship': 'SPO'}, 'AttendingDoctor': {'FamilyName': L('en'), 'GivenName': F('en')}, 'SendingFacility': 'LINCOLN MEM'},
    lambda: {'ptName': P('en'), 'refPhys': P('en'), 'consultingMD': P('en'), 'unit': 'Curie 4', 'rxName': t('drug', 'en')},
    lambda: {'stay': {'occupants': [{'fullname': P('it'), 'age': 31}, {'fullname': P('it'), 'age': 5}], 'hotelName': 'Albergo Santa Lucia', 'receptionist': P('it'), 'roomName': 'Leonardo'}},
    lambda: {'ticketing': {'traveller1': P('en'), 'traveller2': P('en'), 'operator': 'Ryanair', 'from': t('place', 'en'), 'to': t('place', 'en'), 'ship': t('ship', 'en')}},
    lambda: {'payslip': {'worker': {'legal_first': F('en'), 'legal_last': L('en'), 'preferred': F('en')}, 'manager': P('en'), 'org': 'Sales Dallas', 'employer_of_record': t('company', 'en')}},
    lambda: {'nomina': {'trabajador': P('es'), 'centro': 'Santa Ana', 'empresa': t('company', 'es'), 'firmado_por': P('es')}},
    lambda: {'hearing': {'judge': P('en'), 'prosecutor': P('en'), 'accused': P('en'), 'interpreter': P('ru') if R.random() < .2 else P('pl'), 'stenographer': P('en'), 'courthouse': 'Lincoln County'}},
    lambda: {'roster': {'class': 'Newton', 'students': [{'sname': L('en'), 'fname': F('en')}, {'sname': L('en'), 'fname': F('en')}], 'lecturer': P('en'), 'textbook': t('book', 'en')}},
    lambda: {'delivery': {'dropoff': {'person': P('en'), 'town': t('city', 'en')}, 'left_with': P('en'), 'hub': 'Orlando', 'courierService': 'Hermes'}},
    lambda: {'manifest': {'ship_master': P('en'), 'shipper': t('company', 'en'), 'notify_party': P('en'), 'port': 'Santos', 'vessel_nm': t('ship', 'en')}},
    lambda: {'claimForm': {'injured_person': P('en'), 'at_fault_driver': P('en'), 'police_officer': P('en'), 'loss_adjuster': P('en'), 'repair_shop': 'Miller Auto', 'car_model': t('model', 'en')}},
    lambda: {'solicitud': {'apellido1': L('es'), 'apellido2': L('es'), 'nombre': F('es'), 'municipio': t('city', 'es'), 'banco': 'Santander'}},
    lambda: {'contrato': {'contratante': P('pt'), 'contratada': t('company', 'pt'), 'conjuge': P('pt'), 'bairro': 'Santa Teresa'}},
    lambda: {'pratica': {'delegato': P('it'), 'coniuge': P('it'), 'provincia': 'Siena', 'denominazione': t('company', 'it')}},
    lambda: {'demande': {'assure': P('fr'), 'mandataire': P('fr'), 'enfants': [{'prenom': F('fr')}, {'prenom': F('fr')}], 'caisse': 'CPAM Lille'}},
    lambda: {'polis': {'verzekeringnemer': P('nl'), 'medeverzekerde': P('nl'), 'maatschappij': 'Nationale Nederlanden', 'tussenpersoon': t('company', 'nl')}},
    lambda: {'umowa': {'zleceniobiorca': P('pl'), 'reprezentant': P('pl'), 'siedziba': t('city', 'pl'), 'bank': 'Millennium'}},
    lambda: {'avtal': {'kund': P('sv'), 'ombud': P('sv'), 'bolag': t('company', 'sv'), 'ort': t('city', 'sv')}},
    lambda: {'договор': {'заказчик': P('ru'), 'исполнитель': P('ru'), 'отчество': Name('Иванович'), 'банк': 'Сбербанк'}},
    lambda: {'incident': {'opened_for': P('en'), 'resolver': P('en'), 'on_call': P('en'), 'service': 'Athena', 'runbook': 'Restart Jenkins', 'room': 'Ada'}},
    lambda: {'opportunity': {'decision_maker': P('en'), 'champion': P('en'), 'account': t('company', 'en'), 'stage': t('status', 'en'), 'competitor': 'Oracle', 'salesRep': P('en')}},
    lambda: {'conference': {'keynote_by': P('en'), 'panelists': [P('en'), P('en')], 'moderator': P('en'), 'hall': 'Einstein', 'track': 'Ada Lovelace'}},
    lambda: {'deed': {'grantor': P('en'), 'grantee': P('en'), 'county': 'Jefferson', 'titleCompany': t('company', 'en'), 'notaryPublic': P('en')}},
    lambda: {'adoption': {'animal': 'Bella', 'kind': t('species', 'en'), 'adopter': {'givenName': F('en'), 'familyName': L('en')}, 'shelter': 'Saint Francis Shelter'}},
    lambda: {'burial': {'deceased': P('en'), 'informant': P('en'), 'cemetery': 'Mount Olivet', 'funeralDirector': P('en')}},
    lambda: {'library': [{'borrowed_by': P('en'), 'work': t('book', 'en')}, {'borrowed_by': P('de'), 'work': t('book', 'en')}], 'desk': 'Shelley'},
    lambda: {'match': {'home': t('team', 'en'), 'away': t('team', 'en'), 'scorers': [{'player': P('es'), 'min': 12}], 'linesman': P('en'), 'stadium': 'Santiago Bernabeu'}},
    lambda: {'schema': ['sku', 'purchaser', 'town'], 'data': [['A1', P('en'), t('place', 'en')], ['A2', P('en'), t('place', 'en')]]},
    lambda: {'deploy': {'app': {'name': 'julia'}, 'stack': {'name': 'Darwin'}, 'pipeline': {'name': 'Nightly Bob'}, 'triggeredBy': 'jenkins', 'topic': {'name': 'oscar'}, 'bucket': 'alice-data'}},
    lambda: {'theme': {'name': 'Monokai'}, 'font': {'name': 'Georgia'}, 'plugins': [{'name': 'Grammarly'}, {'name': 'Alfred'}], 'dataset': {'name': 'Iris'}},
    lambda: {'wine': {'name': 'Barone Ricasoli', 'grape': 'Syrah'}, 'cheese': {'name': 'Saint Albray'}, 'sommelier': P('fr')},
],
    'i': [
    # envelopes, wrappers and flattened keys
    lambda: {'specversion': '1.0', 'type': 'com.example.enrolment.created', 'subject': 'enrolment/88', 'data': {'learner.full_name': P('en'), 'learner.guardian.full_name': P('en'), 'programme.title': t('course', 'en')}},
    lambda: {'data': {'viewer': {'edges': [{'node': {'__typename': 'Volunteer', 'displayName': P('en'), 'chapter': {'name': t('place', 'en')}}}, {'node': {'__typename': 'Volunteer', 'displayName': P('es'), 'chapter': {'name': t('place', 'en')}}}]}}},
    lambda: {'Booking': {'$': {'id': '77'}, 'Passenger': [{'Name': {'#text': P('en')}}, {'Name': {'#text': P('de')}}], 'Carrier': {'#text': t('company', 'en')}}},
    lambda: {'form_id': 'f1', 'answers': [{'question': 'What is your full name?', 'answer': P('en')}, {'question': 'Favourite book', 'answer': t('book', 'en')}, {'question': 'Who referred you?', 'answer': P('en')}]},
    lambda: {'custom_fields': [{'field': 'Account manager', 'content': P('en')}, {'field': 'Product line', 'content': t('product', 'en')}, {'field': 'Backup contact', 'content': P('fr')}]},
    lambda: {'op': 'u', 'before': {'renter': P('en'), 'plate': 'AB12 CDE'}, 'after': {'renter': P('en'), 'plate': 'AB12 CDE'}, 'source': {'db': 'fleet', 'table': 'rentals'}},
    lambda: {'header': ['donor', 'units', 'clinic'], 'body': [[P('en'), 2, t('place', 'en')], [P('pl'), 1, t('place', 'en')]]},
    # trades
    lambda: {'flight': 'XQ 311', 'captain': P('en'), 'firstOfficer': P('de'), 'cabinCrew': [P('en'), P('es'), P('fr')], 'aircraft': {'type': 'Embraer', 'nickname': 'Lady Margaret'}},
    lambda: {'pet': {'name': 'Oscar', 'breed': t('species', 'en')}, 'keeper': P('en'), 'vet': P('en'), 'practice': 'Walker & Hill Veterinary Clinic'},
    lambda: {'constituency': t('place', 'en'), 'candidates': [{'candidate': P('en'), 'party': 'Greens', 'votes': 4711}, {'candidate': P('en'), 'party': 'Labour', 'votes': 12}], 'returning_officer': P('en')},
    lambda: {'film': t('book', 'en'), 'directed_by': P('en'), 'screenplay': [P('en'), P('fr')], 'cast': [{'actor': P('en'), 'role': 'Dorothy'}, {'actor': P('it'), 'role': 'Captain Nemo'}]},
    lambda: {'visa': {'applicantSurname': L('en'), 'applicantForenames': F('en'), 'sponsor': P('en'), 'consulate': t('place', 'en'), 'inviting_company': t('company', 'en')}},
    lambda: {'claim_no': 'C-1', 'claimant': P('en'), 'loss_adjuster': P('en'), 'third_party': P('en'), 'insurer': t('company', 'en'), 'vehicle': t('model', 'en')},
    lambda: {'nursery': 'Little Acorns', 'child': {'known_as': F('en'), 'surname': L('en')}, 'collected_by': P('en'), 'key_worker': P('en'), 'room': 'Matilda'},
    lambda: {'museum': 'Ashmole Collection', 'object': t('book', 'en'), 'lender': P('en'), 'conservator': P('de'), 'couriered_by': P('en'), 'gallery': 'Hamilton'},
    lambda: {'lot': 14, 'consignor': P('en'), 'underbidder': P('en'), 'auctioneer': P('en'), 'title': t('book', 'en')},
    lambda: {'sample': 'S-9', 'drawn_by': P('en'), 'analysed_by': P('en'), 'countersigned': P('en'), 'analyser': 'Siemens Atellica', 'lab': t('place', 'en')},
    lambda: {'shift': 'late', 'roster': [{'steward': P('en'), 'gate': 'Churchill'}, {'steward': P('sv'), 'gate': 'Nelson'}], 'supervisor_on_duty': P('en')},
    lambda: {'probate': {'testator': P('en'), 'executors': [P('en'), P('en')], 'solicitors': 'Parker Bowles LLP'}},
    lambda: {'dive': {'buddy': P('en'), 'dive_master': P('en'), 'site': 'Thistlegorm', 'boat': t('ship', 'en')}},
    lambda: {'allotment': 7, 'plot_holder': P('en'), 'co_worker': P('en'), 'site': 'Rosemary Lane'},
    lambda: {'parish': 'St. Thomas', 'baptised': P('en'), 'godparents': [P('en'), P('en')], 'celebrant': P('en')},
    lambda: {'race': 'Spring Stakes', 'runners': [{'horse': 'Lady Eleanor', 'jockey': P('en'), 'trainer': P('en')}, {'horse': 'Sir Henry', 'jockey': P('en'), 'trainer': P('fr')}]},
    lambda: {'album': t('song', 'en'), 'vocals': P('en'), 'drums': P('en'), 'mixed_by': P('en'), 'label': t('company', 'en')},
    lambda: {'paper': t('book', 'en'), 'corresponding_author': P('en'), 'coauthors': [P('en'), P('de')], 'handling_editor': P('en'), 'journal': 'Annals of Lindley'},
    lambda: {'sender': {'contact': P('en'), 'company': t('company', 'en')}, 'consignee': {'contact': P('de'), 'company': t('company', 'de')}, 'carrier': 'Jackson Freight', 'depot': t('place', 'en')},
    lambda: {'phone_line': {'subscriber': P('en'), 'billed_to': P('en'), 'engineer': P('en'), 'plan': 'Victoria Max'}},
    lambda: {'cabin': 'Florence', 'lead_guest': P('en'), 'travelling_with': [P('en'), P('en')], 'ship': t('ship', 'en')},
    # other languages
    lambda: {'vorgang': 'V1', 'sachbearbeiter': P('de'), 'antragstellerin': P('de'), 'bevollmaechtigter': P('de'), 'dienststelle': t('place', 'de'), 'produkt': t('product', 'de')},
    lambda: {'dossier': 'D1', 'demandeur': P('fr'), 'conjoint': P('fr'), 'gestionnaire': P('fr'), 'mairie': t('place', 'fr'), 'entreprise': t('company', 'fr')},
    lambda: {'expediente': 'E1', 'solicitante': P('es'), 'apoderado': P('es'), 'perito': P('es'), 'municipio': t('place', 'es'), 'empresa': t('company', 'es')},
    lambda: {'pratica': 'P1', 'richiedente': P('it'), 'intestatario': P('it'), 'geometra': P('it'), 'comune': t('place', 'it'), 'ditta': t('company', 'it')},
    lambda: {'zaak': 'Z1', 'aanvrager': P('nl'), 'gemachtigde': P('nl'), 'behandelaar': P('nl'), 'gemeente': t('place', 'nl')},
    lambda: {'processo': 'P2', 'requerente': P('pt'), 'advogado': P('pt'), 'perita': P('pt'), 'comarca': t('place', 'pt')},
    lambda: {'sprawa': 'S1', 'wnioskodawca': P('pl'), 'pelnomocnik': P('pl'), 'referent': P('pl'), 'gmina': t('place', 'pl')},
    lambda: {'arende': 'A1', 'sokande': P('sv'), 'handlaggare': P('sv'), 'ombud': P('sv'), 'kommun': t('place', 'sv')},
    lambda: {'basvuru': 'B1', 'basvuran': P('tr'), 'vekil': P('tr'), 'memur': P('tr'), 'ilce': t('place', 'tr')},
    lambda: {'asia': 'H1', 'hakija': P('fi'), 'kasittelija': P('fi'), 'edunvalvoja': P('fi'), 'kunta': t('place', 'fi')},
    # things alone
    lambda: {'router': {'hostname': 'franklin', 'vendor': 'Juniper'}, 'vlan': 'Charlotte', 'rack': 'Edison', 'model': t('model', 'en')},
    lambda: {'storm': 'Ciara', 'warning_area': t('place', 'en'), 'street': t('street', 'en'), 'shelter': 'Kennedy Hall'},
    lambda: {'paint': [{'colour': 'Rose Madder', 'code': 1}, {'colour': 'Paris Green', 'code': 2}], 'manufacturer': 'Winsor & Newton', 'line': 'Lascaux Sirius'},
    lambda: {'menu': [{'dish': 'Beef Wellington'}, {'dish': 'Peach Melba'}, {'drink': 'Earl Grey'}], 'restaurant': "Lucy's"},
    lambda: {'award': 'Turner Prize', 'statue': 'Winged Victoria', 'fund': 'Gates Foundation', 'theatre': 'Lope de Vega', 'ward': 'Nightingale'},
],
    'j': [
    # written after the work on i
    lambda: {'meta': {'v': 2}, 'payload': {'kind': 'handover', 'from_nurse': P('en'), 'to_nurse': P('en'), 'ward': 'Florence', 'concerns_raised_by': P('en')}},
    lambda: {'Envelope': {'Body': {'GetMemberResponse': {'Member': {'Title': 'Mr', 'Forename': F('en'), 'Surname': L('en'), 'Lodge': 'St. George'}, 'ProposedBy': P('en'), 'SecondedBy': P('en')}}}},
    lambda: {'rows': [{'c': [{'label': 'Tenant', 'v': P('en')}, {'label': 'Block', 'v': 'Eliot'}, {'label': 'Caretaker', 'v': P('en')}]}]},
    lambda: {'cols': ['rower', 'seat', 'boat'], 'rows': [[P('en'), 'bow', t('ship', 'en')], [P('de'), 'stroke', t('ship', 'en')]]},
    lambda: {'regatta': {'coxswain': P('en'), 'crew': [P('en'), P('en'), P('nl')], 'boat': t('ship', 'en'), 'umpire': P('en')}},
    lambda: {'petition': {'lead_petitioner': P('en'), 'signed': [P('en'), P('es')], 'council': t('place', 'en'), 'topic': 'Save Victoria Park'}},
    lambda: {'autopsy': {'pathologist': P('en'), 'identified_by': P('en'), 'mortuary': 'Hope Street'}},
    lambda: {'choir': [{'soprano': P('en'), 'alto': P('en')}, {'soprano': P('fr'), 'alto': P('en')}], 'hymn': 'Abide With Me', 'accompanist': P('en')},
    lambda: {'tattoo': {'inked_by': P('en'), 'consented_by': P('en'), 'motif': 'Betty Boop', 'parlour': 'Black Rose'}},
    lambda: {'chess': {'white': P('en'), 'black': P('ru'), 'arbiter': P('en'), 'opening': 'Ruy Lopez', 'venue': t('place', 'en')}},
    lambda: {'bee_hive': 7, 'beekeeper': P('en'), 'inspected_by': P('en'), 'queen': 'Elizabeth II', 'apiary': 'Orchard End'},
    lambda: {'licence_holder': P('en'), 'premises': "Murphy's Bar", 'designated_supervisor': P('en'), 'objector': P('en')},
    lambda: {'trust': 'Carnegie Fund', 'settlor': P('en'), 'trustees': [P('en'), P('en')], 'protector': P('en'), 'bank': 'Coutts'},
    lambda: {'wedding': {'bride': P('en'), 'groom': P('en'), 'bestMan': P('en'), 'bridesmaids': [F('en'), F('en')], 'venue': 'Cliveden House', 'florist': 'Daisy Chain'}},
    lambda: {'translation': {'translator': P('de'), 'proofread_by': P('en'), 'source_lang': 'de', 'work': t('book', 'en')}},
    lambda: {'locker': 12, 'issued_to': P('en'), 'returned_by': P('en'), 'building': 'Newton'},
    lambda: {'mission': 'Apollo', 'commander': P('en'), 'flightEngineer': P('ru'), 'capsule': 'Friendship', 'capcom': P('en')},
    lambda: {'hackathon': {'mentors': [P('en'), P('es')], 'team': t('team', 'en'), 'members': [{'dev': P('en')}, {'dev': P('en')}], 'prize': 'Turing Award'}},
    lambda: {'bus': {'route': t('street', 'en'), 'driver_on_shift': P('en'), 'relief': P('en'), 'depot': 'Camden'}},
    lambda: {'tree': {'species': t('species', 'en'), 'surveyor': P('en'), 'planted_by': P('en'), 'dedication': 'In memory of the fallen'}},
    lambda: {'settlement': {'mediator': P('en'), 'partyA': P('en'), 'partyB': P('en'), 'counselForA': P('en'), 'firm': t('company', 'en')}},
    lambda: {'bank_mandate': {'signatories': [P('en'), P('en')], 'drawer': P('en'), 'payable_to': P('en'), 'bank': t('company', 'en')}},
    lambda: {'ambulance': {'paramedic': P('en'), 'casualty': P('en'), 'handed_over_to': P('en'), 'hospital': 'St Mary'}},
    lambda: {'knitting_circle': [{'name': P('en'), 'since': 2011}, {'name': P('en'), 'since': 2020}], 'hall': 'Wesley Hall'},
    lambda: {'Mandant': P('de'), 'Gegner': P('de'), 'Rechtsbeistand': P('de'), 'Gericht': 'Amtsgericht Schönau', 'Gegenstand': t('product', 'de')},
    lambda: {'Pflegekraft': P('de'), 'Pflegebedürftiger': P('de'), 'Angehörige': [P('de'), P('de')], 'Station': 'Luise', 'Heim': 'Haus Elisabeth'},
    lambda: {'locataire': P('fr'), 'bailleur': P('fr'), 'caution': P('fr'), 'agence': t('company', 'fr'), 'rue': t('street', 'fr')},
    lambda: {'élève': P('fr'), 'professeurPrincipal': P('fr'), 'responsableLegal': P('fr'), 'lycée': 'Lycée Victor Hugo'},
    lambda: {'alumno': P('es'), 'tutora': P('es'), 'acudiente': P('es'), 'colegio': 'Colegio San Martín'},
    lambda: {'inquilino': P('es'), 'arrendador': P('es'), 'fiador': P('es'), 'calle': t('street', 'es')},
    lambda: {'paziente': P('it'), 'medicoCurante': P('it'), 'accompagnatore': P('it'), 'reparto': 'Santa Lucia'},
    lambda: {'venditore': P('it'), 'acquirente': P('it'), 'notaio': P('it'), 'via': t('street', 'it')},
    lambda: {'huurder': P('nl'), 'verhuurder': P('nl'), 'getuige': P('nl'), 'straat': t('street', 'nl')},
    lambda: {'aluna': P('pt'), 'professora': P('pt'), 'encarregadoEducacao': P('pt'), 'escola': 'Escola Dom Pedro'},
    lambda: {'powod': P('pl'), 'pozwany': P('pl'), 'sedzia': P('pl'), 'sad': 'Sąd Rejonowy'},
    lambda: {'elev': P('sv'), 'mentor': P('sv'), 'vardnadshavare': P('sv'), 'skola': 'Karlaskolan'},
    lambda: {'ogrenci': P('tr'), 'veli': P('tr'), 'ogretmen': P('tr'), 'okul': t('place', 'tr')},
    lambda: {'vuokralainen': P('fi'), 'vuokranantaja': P('fi'), 'isannoitsija': P('fi'), 'katu': t('street', 'fi')},
    lambda: {'lejer': P('da'), 'udlejer': P('da'), 'vicevaert': P('da'), 'gade': t('street', 'da')},
    lambda: {'najemce': P('cs'), 'pronajimatel': P('cs'), 'svedek': P('cs'), 'ulice': t('street', 'cs')},
    # things
    lambda: {'satellite': 'James Webb', 'launcher': 'Ariane', 'instrument': 'Huygens', 'pad': 'Kennedy'},
    lambda: {'rose': {'cultivar': 'Gertrude Jekyll', 'breeder': 'David Austin Roses'}, 'apple': {'cultivar': 'Granny Smith'}},
    lambda: {'cipher': 'Blowfish', 'curve': 'Edwards', 'theorem': 'Noether', 'metric': 'Jaccard', 'distribution': 'Poisson'},
    lambda: {'cocktail': 'Bloody Mary', 'biscuit': 'Garibaldi', 'crisps': 'Walkers', 'beer': 'Samuel Adams', 'supplier': t('company', 'en')},
    lambda: {'cluster': 'cassandra-1', 'db': 'maria', 'queue': 'celery', 'host': 'oscar', 'model': 'claude'},
]}


def style():
    return R.choice(['snake', 'camel', 'kebab', 'Pascal', 'UPPER', 'space', 'snake', 'camel'])


def key(k, s):
    w = k.split(' ')
    return {'snake': '_'.join(w), 'camel': w[0] + ''.join(x[:1].upper() + x[1:] for x in w[1:]), 'kebab': '-'.join(w),
            'Pascal': ''.join(x[:1].upper() + x[1:] for x in w), 'UPPER': '_'.join(w).upper(), 'space': ' '.join(w).capitalize()}[s]


def write(d):
    ind, asc = R.choice([None, 2]), R.random() < .15
    out, spans, n = [], [], 0

    def put(s):
        nonlocal n
        out.append(s)
        n += len(s.encode())

    def walk(v, lvl):
        nl = '\n' + ' ' * (lvl + 2) if ind else ''
        if isinstance(v, dict) or isinstance(v, list):
            put('{' if isinstance(v, dict) else '[')
            for i, x in enumerate(v):
                put((',' if ind else ', ') * (i > 0) + nl)
                if isinstance(v, dict):
                    put(json.dumps(x, ensure_ascii=asc) + ': ')
                    x = v[x]
                walk(x, lvl + 2)
            put(('\n' + ' ' * lvl if ind else '') + ('}' if isinstance(v, dict) else ']'))
        elif isinstance(v, Name):
            s = json.dumps(v, ensure_ascii=asc)
            spans.append({'start': n + 1, 'end': n + len(s.encode()) - 1, 'type': 'PERSON'})
            put(s)
        else:
            put(json.dumps(v, ensure_ascii=asc))

    walk(d, 0)
    return ''.join(out), spans


def restyle(d, s):
    if isinstance(d, dict):
        return {key(k, s): restyle(v, s) for k, v in d.items()}
    return [restyle(v, s) for v in d] if isinstance(d, list) else d


for i in range(1500):
    if i % 2 and SET in 'ef':
        rule, d = 'mixed', restyle(mixed(), style())
    else:
        j = R.randrange(len(RECORDS[SET]))
        rule, d = f'record{j}', RECORDS[SET][j]()
    text, spans = write(d)
    print(json.dumps({'id': f'{SET}-{rule}-{i}', 'text': text, 'spans': spans, 'rule': rule}, ensure_ascii=False))
