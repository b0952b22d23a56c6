"""Writes labelled JSON records for bench/classify: names of persons in fields of schemas that
nobody declared, among names of things.

    python3 bench/classify/fields.py SET SEED > fields.jsonl

SET a has keys in many styles; b, c and d have schemas as applications of many trades send
them. c and d were written after the rules for fields and show what those had not seen.
Names come from the lists in $STOPLOG_TESTDATA/names (CC0), a fifth of them are invented.
"""
import csv
import json
import os
import random
import sys

SET, SEED = sys.argv[1], int(sys.argv[2])
R = random.Random(SEED)
NAMES = os.path.join(os.environ['STOPLOG_TESTDATA'], 'names')


def load(p,loc):
    d={}
    for row in csv.DictReader(open(p,encoding='utf-8-sig')):
        d.setdefault(row['Country'],[]).append(row.get('Localized Name') if loc and row.get('Localized Name') and R.random()<.25 else row.get('Romanized Name') or row.get('Localized Name'))
    return d
F=load(os.path.join(NAMES, 'common-forenames-by-country.csv'),False); S=load(os.path.join(NAMES, 'common-surnames-by-country.csv'),False)
both=[c for c in F if c in S and len(F[c])>5 and len(S[c])>5]
made=['Velkan','Orsolya','Thandeka','Brixton','Maelle','Zivko','Ikaika','Nkemdi','Saoirse','Ulrik','Tevita','Aylin']
madeS=['Haskovec','Oyelaran','Brandvold','Kwarteng','Szczepanik','Ravnborg','Mbekeni','Talvikki','Quillfeather','Dzhambov','Ferreyra','Whitlocke']
def fore():
    return R.choice(made) if R.random()<.22 else R.choice(F[R.choice(both)])
def sur():
    return R.choice(madeS) if R.random()<.25 else R.choice(S[R.choice(both)])
def pair():
    if R.random()<.2: return fore(),sur()
    c=R.choice(both); return R.choice(F[c]),R.choice(S[c])
def full():
    a,b=pair(); x=R.random()
    if x<.07: return f"{b}, {a}"
    if x<.12: return f"{a} {R.choice('ABCDEFGHJKLMRST')}. {b}"
    if x<.16: return f"Dr. {a} {b}"
    if x<.19: return f"{a}-{fore()} {b}"
    if x<.22: return f"{a} {b}".upper()
    if x<.25: return f"{a} {b}".lower()
    if x<.27: return f"{a} {b}-{sur()}"
    return f"{a} {b}"
def style(ws):
    s=R.random()
    if s<.4: return '_'.join(ws)
    if s<.75: return ws[0]+''.join(w.capitalize() for w in ws[1:])
    if s<.85: return ''.join(w.capitalize() for w in ws)
    if s<.92: return '-'.join(ws)
    if s<.96: return ' '.join(ws)
    return ''.join(ws)
FULLK=['guest name','contact person','patient name','customer name','client name','full name','applicant name','employee name','driver name','tenant name','assigned to','created by','reported by','approved by','signed by','requested by','account manager','account holder','policy holder','emergency contact name','next of kin','primary contact','billing contact','attending physician','legal guardian','spouse name','passenger name','student name','teacher name','speaker name','booked by','sales rep','case worker','recipient name','sender name','ship to name','name on card','interviewer','team lead','product owner','project manager','insured name','kundenname','ansprechpartner','bearbeiter','nombre completo','nombre cliente','nom complet','nom du client','nome completo','nome paziente','naam klant','imie i nazwisko','contact','beneficiary','assignee','author','reviewer','attendee','nominee','landlord','referring doctor','cardholder name','vendor contact','maintainer','signatory','witness','care coordinator','last edited by','mieter name','huesped','titular','destinatario','medewerker','person in charge','responsible person','delivery contact','parent name','owner name','member name','candidate','trainer', 'host full name']
FIRST=['first name','given name','forename','vorname','prenom','nombre','nome','voornaam','fname','first','imie','preferred name','middle name']
LAST=['last name','family name','surname','nachname','nom de famille','apellido','apellidos','cognome','achternaam','lname','last','nazwisko','maiden name','familienname']
PARENT=['guest','customer','requester','patient','employee','assignee','contact','author','user','applicant','passenger','primary guest','billing contact','creator','owner','recipient','member','sender','kunde','cliente','tenant','reviewer','student','lead','person','doctor','buyer','beneficiary','representative']
ARR=['guests','attendees','passengers','participants','authors','reviewers','children','members','contacts','employees','speakers','invitees','signatories','team members','beneficiaries','maintainers','occupants','dependents']
THING=[('hostname',lambda:R.choice(['web-01.internal','db-primary','edge7'])),('file name',lambda:R.choice(['report_final.pdf','Anna.jpg','index.ts','Martin Report.docx'])),('username',lambda:R.choice(['build-bot','ci','deploy_agent','octocat'])),('product name',lambda:R.choice(['Premium Plan','Jordan Sneakers','Alexa Dot','Victoria Sofa','Room Deluxe'])),('branch name',lambda:R.choice(['main','feature/login','release-2.1'])),('company name',lambda:R.choice(['Northwind Traders','Acme GmbH','Morris and Sons Ltd','Blue Harbor Logistics','Fischer Technik AG'])),('city',lambda:R.choice(['Florence','Santiago','San Jose','Paris','Charlotte','Jackson','Victoria','St. Albans'])),('event name',lambda:R.choice(['push','invoice.paid','Summer Party'])),('status',lambda:R.choice(['Open','Pending','Closed'])),('plan name',lambda:R.choice(['Starter','Grace Period','Gold'])),('room name',lambda:R.choice(['Rose Room','Lincoln Suite','Double Deluxe'])),('project name',lambda:R.choice(['Apollo','Mercury Rising','Daisy'])),('street',lambda:R.choice(['12 Baker Street','Martin-Luther-Platz 3','Rosa-Luxemburg-Allee 9'])),('state',lambda:R.choice(['Georgia','Virginia','New South Wales'])),('country',lambda:R.choice(['Jordan','Chad','Georgia','Sri Lanka'])),('service name',lambda:R.choice(['auth','billing-api','Carmen'])),('brand',lambda:R.choice(['Hugo Boss','Calvin Klein','Stella McCartney','Ralph Lauren'])),('hotel name',lambda:R.choice(['Hotel Adlon','St. Regis','The Charles'])),('dateiname',lambda:'bericht.pdf'),('queue name',lambda:'orders'),('display name',lambda:R.choice(['Support Team','Build Bot','Ops Alerts'])),('role name',lambda:R.choice(['Admin','Front Desk Manager','Editor'])),('department',lambda:R.choice(['Human Resources','Sales'])),('repository',lambda:'Hello-World'),('title',lambda:R.choice(['Senior Engineer','Fix login page','Invoice March'])),('currency',lambda:'EUR'),('locale name',lambda:'English'),('school name',lambda:R.choice(['Lincoln High School','St. Mary College'])),('payment method',lambda:'Visa'),('created by',lambda:R.choice(['system','api-client','scheduler'])),('owner',lambda:R.choice(['platform-team','infra'])),('category',lambda:R.choice(['Garden','Olive Oil'])),('course name',lambda:R.choice(['Algebra II','Intro to Marketing'])),('campaign name',lambda:R.choice(['Spring Sale','Black Friday'])),('model name',lambda:R.choice(['Mercedes','Tesla Model S','Alfa Romeo'])),('team name',lambda:R.choice(['Red Falcons','Payments'])),('language name',lambda:R.choice(['French','Afar','Bemba']))]
class Val(str): pass
def person(): return Val(full())
def extra(d):
    if R.random()<.5: d['id']=R.randint(100,99999999)
    if R.random()<.4: d[style(['email'])]=f"u{R.randint(1,9999)}@example.org"
    if R.random()<.3: d['phone']='+1 555 010 %04d'%R.randint(0,9999)
def things(d,n):
    for _ in range(n):
        k,v=R.choice(THING); d[style(k.split())]=v()
def rec():
    d={}; things(d,R.randint(0,2))
    kind=R.random()
    if kind<.34:
        for _ in range(R.randint(1,2)): d[style(R.choice(FULLK).split())]=person()
        extra(d) if R.random()<.4 else None
    elif kind<.56:
        a,b=pair(); o={style(R.choice(FIRST).split()):Val(a),style(R.choice(LAST).split()):Val(b)}; extra(o)
        if R.random()<.6: d[style(R.choice(PARENT).split())]=o
        else: d.update(o)
    elif kind<.80:
        o={R.choice(['name','name','full_name','fullName','Name','display_name']):person()}; extra(o)
        d[style(R.choice(PARENT).split())]=o
    elif kind<.9:
        d[style(R.choice(ARR).split())]=[person() for _ in range(R.randint(1,3))]
    else:
        d[style(R.choice(ARR).split())]=[dict([( 'name',person())]+([('age',R.randint(1,90))] if R.random()<.5 else [])) for _ in range(R.randint(1,3))]
    things(d,R.randint(0,3))
    if R.random()<.3: d={'event':R.choice(['created','updated']),'data':d}
    return d
def enc(d,ind,lvl=0,asc=False):
    # returns text and spans
    out='';sp=[]
    def w(s):
        nonlocal out; out+=s
    def go(v,lvl):
        nl='\n'+'  '*(lvl+1) if ind else ''
        if isinstance(v,dict):
            w('{')
            for i,(k,x) in enumerate(v.items()):
                if i: w(',' if ind else ', ')
                w(nl); w(json.dumps(k)+': '); go(x,lvl+1)
            if ind: w('\n'+'  '*lvl)
            w('}')
        elif isinstance(v,list):
            w('[')
            for i,x in enumerate(v):
                if i: w(', ')
                go(x,lvl+1)
            w(']')
        elif isinstance(v,Val):
            w('"'); a=len(out.encode()); w(json.dumps(str(v),ensure_ascii=asc)[1:-1]); sp.append({'start':a,'end':len(out.encode()),'type':'PERSON'}); w('"')
        else: w(json.dumps(v,ensure_ascii=asc))
    go(d,lvl); return out,sp


V = Val


def fl():
    return pair()


def cap():
    while True:
        f = full()
        if f != f.lower() and f != f.upper():
            return V(f)


def s1():
    a,b=fl(); return {"resourceType":"Patient","id":"p%d"%R.randint(1,999),"name":[{"use":"official","family":V(b),"given":[V(a),V(fore())]}],"gender":"female","birthDate":"1974-12-25","managingOrganization":{"display":"Burgers University Medical Center"}}
def s2(): return {"@context":"https://schema.org","@type":"Article","headline":"How Florence rebuilt","author":{"@type":"Person","name":cap()},"publisher":{"@type":"Organization","name":"Harper Collins"}}
def s3():
    a,b=fl(); return {"Id":"003xx","FirstName__c":V(a),"LastName__c":V(b),"OwnerName__c":cap(),"Account_Name__c":"Edge Communications","StageName":"Prospecting"}
def s4(): return {"issue":{"key":"OPS-12","fields":{"summary":"Login fails for Mercury","assignee":{"displayName":cap(),"accountId":"5b10"},"reporter":{"displayName":cap()},"status":{"name":"In Progress"},"priority":{"name":"High"},"project":{"name":"Atlas"}}}}
def s5():
    n=cap(); return {"ok":True,"user":{"id":"U023","name":"abot","real_name":n,"profile":{"title":"Staff Engineer","real_name_normalized":n,"display_name":"spengler","team":"T012"}}}
def s6():
    a,b=fl(); return {"order_number":1234,"billing_address":{"first_name":V(a),"last_name":V(b),"address1":"123 Fake Street","city":"Fakecity","name":V(a+' '+b),"company":"Fischer Bros","country":"Canada"},"line_items":[{"name":"Victoria Sneakers - Red","sku":"VS-1","vendor":"Ralph Lauren"}]}
def s7(): return {"kind":"calendar#event","summary":"Budget","organizer":{"email":"x@example.org","displayName":cap()},"attendees":[{"email":"y@example.org","displayName":cap(),"responseStatus":"accepted"},{"email":"z@example.org","displayName":cap()}],"location":"Room Victoria"}
def s8(): return {"object_kind":"push","user_name":cap(),"user_username":"jdoe","project":{"name":"Diaspora","namespace":"Mike"},"commits":[{"id":"b6568db","message":"Fix typo","author":{"name":cap(),"email":"a@example.org"}}]}
def s9(): return {"form":"Sign up","answers":[{"label":"First name","value":V(fore())},{"label":"Last name","value":V(sur())},{"label":"Company","value":"Bell and Sons"},{"label":"Favourite city","value":"Florence"}]}
def s10(): return {"records":[{"id":"rec1","fields":{"Full Name":cap(),"Emergency Contact":cap(),"Shirt Size":"M","School":"Lincoln High"}}]}
def s11(): return {"claim":{"policyHolder":cap(),"insuredVehicle":"Alfa Romeo Giulia","adjuster":cap(),"witnesses":[cap(),cap()],"garage":"Miller Auto Body","insurer":"Allianz"}}
def s12(): return {"shipment":{"consignee":{"name":cap(),"street":"Lange Gasse 9"},"shipper":{"name":"Kuehne Logistics GmbH"},"driverName":cap(),"vesselName":"Emma Maersk","port":"Santos"}}
def s13(): return {"case_no":"22-CV-8","plaintiffs":[cap()],"defendants":[{"name":cap()}],"presidingJudge":cap(),"court":"Southern District","attorneyOfRecord":cap()}
def s14():
    a,b=fl(); return {"rezervasyon":{"misafirAdi":V(a+' '+b)},"otel":"Grand Palas"}
def s15():
    a,b=fl(); return {"Buchung":{"Gast":{"Vorname":V(a),"Nachname":V(b),"Anrede":"Frau"},"Zimmerkategorie":"Doppelzimmer","Bearbeiter":cap()}}
def s16():
    a,b=fl(); return {"reserva":{"huesped":{"nombre":V(a),"apellidos":V(b)},"hotel":{"nombre":"Hotel Santa Clara"},"agente":cap()}}
def s17(): return {"employee_record":{"empName":cap(),"mgr_name":cap(),"dept_name":"Finance","job_title":"Controller","emergency_contact":{"name":cap(),"relationship":"spouse"}}}
def s18(): return {"payload":{"creator_full_name":cap(),"lastModifiedBy":{"user":{"displayName":cap()}},"parentReference":{"name":"Documents"},"name":"Grace Report.docx","file":{"mimeType":"x"}}}
def s19(): return {"artist":{"name":cap()},"track":"Angie","album":{"name":"Carolina"},"label":"Domino"}
def s20(): return {"data":[{"type":"people","attributes":{"fullName":cap(),"nickname":"zed"}},{"type":"companies","attributes":{"name":"Wayne Brothers Inc"}}]}
def s21(): return {"appointment":{"patientFullName":cap(),"provider":{"name":cap(),"specialty":"Cardiology"},"clinic":{"name":"St. Anna Clinic"},"referredBy":cap()}}
def s22(): return {"k8s":{"pod":"martin-7f","namespace":"claire","container":{"name":"victoria-metrics"},"labels":{"app":"alexa","owner":"ops"}},"build":{"branchName":"felix/fix","triggered_by":"renovate-bot"}}
def s23(): return {"name":"lodash","version":"4.1.0","description":"Mercury utilities","repository":{"type":"git","url":"https://example.org"},"scripts":{"test":"jest"},"config":{"profile":"Victoria","region":"Virginia"}}
def s24(): return {"students":[{"student_name":cap(),"parentGuardian":cap(),"homeroom_teacher":cap(),"grade":"4"}],"school":{"name":"Martin Luther King High"}}
def s25(): return {"signup":{"name":"first_name","value":V(fore())},"product":{"title":"Isabella Dress","brand":"Stella Nova","color":"Rose"}}

def t1():
    a,b=fl(); return {"loan_application":{"borrower_1":{"fname":V(a),"lname":V(b)},"co_borrower":{"name":cap()},"loan_officer":cap(),"lender":"First Harbor Bank","property":{"city":"Jackson"}}}
def t2(): return {"ride":{"rider":{"name":cap(),"rating":4.9},"chauffeur":{"displayName":cap()},"vehicle":{"make":"Mercedes","model":"Viano"}}}
def t3(): return {"podcast":{"title":"Daily Grace","hosts":[cap(),cap()],"guest_of_the_week":cap(),"network":"Carlton Media"}}
def t4():
    a,b=fl(); return {"voter":{"givenNames":V(a),"familyName":V(b),"precinct":"Monroe 4"},"poll_worker":cap()}
def t5(): return {"ticket":{"raisedBy":cap(),"escalated_to":cap(),"watchers":[{"name":cap()},{"name":cap()}],"component":{"name":"Athena"},"sprint":{"name":"Curie"}}}
def t6(): return {"rental":{"Mieter":cap(),"Vermieter":{"Name":cap()},"Objekt":{"Bezeichnung":"Haus Anna","Ort":"Paderborn"},"Hausverwaltung":"Krause Immobilien GmbH"}}
def t7(): return {"dossier":{"assure":{"nom":V(sur()),"prénom":V(fore())},"gestionnaire":cap(),"assureur":"Mutuelle Saint-Martin","ville":"Nancy"}}
def t8(): return {"expediente":{"demandante":cap(),"abogado_defensor":cap(),"juzgado":"Juzgado Santa Ana"}}
def t9(): return {"lab":{"pi_name":cap(),"postdoc":cap(),"instrument":{"name":"Orbitrap Lumos"},"sample_names":["Alpha","Beta"]}}
def t10(): return {"meeting":{"chairperson":cap(),"minute_taker":cap(),"present":[cap(),cap()],"apologies":[cap()],"room":"Turing"}}
def t11(): return {"Customer":{"CustomerFullName":cap(),"MotherMaidenName":V(sur()),"ReferredByName":cap(),"PreferredStore":"Leroy Merlin"}}
def t12(): return {"subscriber_data":{"subscriberName":cap(),"secondary_account_holder":cap(),"authorized_users":[cap()],"planTitle":"Family Max"}}
def t13(): return {"delivery":{"recipient":{"fullname":cap()},"left_with":cap(),"courier_name":cap(),"depot":"Charlotte North"}}
def t14(): return {"klant":{"voorletters":"J.","achternaam":V(sur())},"bedrijfsnaam":"Van Dijk Transport BV","contactpersoon":cap()}
def t15(): return {"pacjent":{"imie":V(fore()),"nazwisko":V(sur())},"lekarz_prowadzacy":cap(),"placowka":"Szpital im. Jana"}
def t16(): return {"crew":[{"position":"Captain","name":cap()},{"position":"First Officer","name":cap()}],"aircraft":{"name":"Spirit of Adelaide"}}
def t17(): return {"grant":{"principalInvestigator":cap(),"coInvestigators":[cap()],"institution":"Emory University","program_officer":cap()}}
def t18(): return {"review":{"reviewerName":cap(),"businessName":"Tony Romas","reply":{"ownerName":cap()}}}
def t19(): return {"family":{"head_of_household":cap(),"members":[{"relation":"son","name":cap()},{"relation":"wife","name":cap()}]}}
def t20(): return {"team":{"name":"Manchester Kings","captain":cap(),"players":[{"shirt":9,"playerName":cap()},{"shirt":10,"playerName":cap()}],"stadium":"Anfield"}}
def t21(): return {"menu":{"items":[{"name":"Margherita"},{"name":"Caesar Salad"},{"name":"Eggs Benedict"}],"chef":cap(),"restaurant":"Osteria Francescana"}}
def t22(): return {"config":{"name":"default","owner_team":"core","theme":"Solarized","timezone":"America/Santiago","release_name":"Jammy","codename":"Bookworm"}}
def t23(): return {"catalog":[{"name":"Kate Spade Tote","brand":"Kate Spade"},{"name":"Dr. Martens 1460"},{"name":"Jack Daniels"}]}

def u1(): return {"leaseAgreement":{"lessee":{"legalName":cap()},"lessor":{"legalName":"Oakwood Estates LLC"},"coSigner":cap(),"unit":"Jefferson 4B"}}
def u2():
    a,b=fl(); return {"ContactInfo":{"Given_Name":V(a),"Surname":V(b),"Suffix":"Jr"},"BusinessUnit":"Madison","Region":"Carolina"}
def u3(): return {"visit":{"visitor":cap(),"visiting":cap(),"badge":"B-12","gate":"Washington"}}
def u4(): return {"bookings":[{"lead_passenger":cap(),"co_passengers":[cap(),cap()],"airline":"Virgin Atlantic","origin":"Santa Cruz"}]}
def u5(): return {"member":{"prefName":V(fore()),"familyNm":V(sur()),"tier":"Diamond"},"club":"St. James Club"}
def u6(): return {"prescription":{"prescriber":cap(),"pharmacist":cap(),"patientNm":cap(),"drug":"Lisinopril","pharmacy":"Walter's Pharmacy"}}
def u7(): return {"invoice":{"attention":cap(),"bill_to":cap(),"remit_to":"Stark Industries","po_owner":cap(),"terms":"Net 30"}}
def u8(): return {"standup":{"scrum_master":cap(),"absent":[cap()],"notes_by":cap(),"team":"Rosetta","board":"Magellan"}}
def u9(): return {"payload":{"actor":{"display":cap(),"type":"human"},"target":{"display":"Alexandria Library","type":"place"},"verb":"visited"}}
def u10(): return {"kontakt":{"förnamn":V(fore()),"efternamn":V(sur())},"företag":"Lindqvist Bygg AB","handläggare":cap()}
def u11(): return {"contrato":{"locatário":cap(),"fiador":cap(),"imóvel":{"bairro":"Santa Teresa","cidade":"Natal"}}}
def u12(): return {"pratica":{"intestatario":cap(),"cognome_nubile":V(sur()),"referente":cap(),"comune":"San Marino","oggetto":"Rinnovo"}}
def u13(): return {"rows":[["Name","Team"],[cap(),"Athletics"],[cap(),"Mercury"]]}
def u14(): return {"exam":{"examinee":cap(),"proctor":cap(),"course":{"title":"Euclidean Geometry","code":"M101"}}}
def u15(): return {"donation":{"donor_name":cap(),"in_memory_of":cap(),"campaign":"Ride for Hope","charity":"Saint Jude Fund"}}
def u16(): return {"chat":{"from":{"nick":"redfox","realName":cap()},"mentions":[{"realName":cap()}],"room":"Lovelace"}}
def u17(): return {"hr":{"newHire":cap(),"reportsTo":cap(),"buddy":cap(),"office":"San Francisco","desk":"Hopper 3"}}
def u18(): return {"incident":{"caller_id":cap(),"assigned_to":{"display_value":cap()},"assignment_group":{"display_value":"Database Atlanta"},"cmdb_ci":{"display_value":"Sparrow"}}}
def u19(): return {"photo":{"photographer":cap(),"model":cap(),"camera":"Leica","location":"Santa Monica"}}
def u20(): return {"docker":{"container_name":"hungry_curie","image":"rabbitmq","network":"bridge"},"author":cap()}
def u21(): return {"weather":{"city":{"name":"Victoria"},"station":{"name":"St. Louis Lambert"},"storm":{"name":"Irma"}}}
def u22(): return {"menu":[{"dish":"Chicken Alfredo"},{"dish":"Peach Melba"}],"wine":{"name":"Marques de Riscal"}}
def u23(): return {"teams":[{"team":"Real Salt Lake","coach":cap(),"roster":[{"no":7,"player":cap()}]}],"venue":"Rose Bowl"}

SCHEMAS = {k: [v for n, v in list(globals().items()) if n[0] == p and n[1:].isdigit()] for k, p in (('b', 's'), ('c', 't'), ('d', 'u'))}
for i in range(1500 if SET == 'a' else 1000):
    schema = rec if SET == 'a' else R.choice(SCHEMAS[SET])
    text, spans = enc(schema(), R.random() < .5, asc=R.random() < .2)
    print(json.dumps({'id': f'{schema.__name__}-{i}', 'text': text, 'spans': spans, 'rule': schema.__name__}, ensure_ascii=False))
