"""Telephone numbers of 24 countries as Faker (MIT) makes them, in short clean texts of twenty
languages, among numbers that are none.

    python bench/classify/phones.py > FILE.jsonl
"""
import json
import random

from faker import Faker
R = random.Random('phones')
Faker.seed(991)
L=['en_US','en_GB','de_DE','fr_FR','es_ES','it_IT','nl_NL','pt_BR','pl_PL','sv_SE','da_DK','fi_FI','cs_CZ','tr_TR','ja_JP','ko_KR','en_IN','en_AU','es_MX','no_NO','hu_HU','el_GR','uk_UA','ro_RO']
T={'en':['Could you give me a ring on {} after five?','My new mobile: {}','Ph {} / fax on request','You can text {} any time.','Reception is on {}.','{} is the best number for her','Emergency line {} (24h)','Contact: Ann, {}'],
'de':['Ruf mich bitte unter {} zurück.','Tel. {}','Meine Nummer ist {}.','Erreichbar: {}'],'fr':['Joignable au {} le soir.','Tél : {}','Rappelez-moi au {}.'],'es':['Llámame al {} mañana.','Tel: {}','Mi número es {}.'],'it':['Chiamami al {} domani.','Cell. {}'],'nl':['Bel me op {}.','Tel: {}'],'pt':['Me liga no {}.','Telefone: {}'],'pl':['Zadzwoń pod {}.','tel. {}'],'sv':['Ring mig på {}.'],'da':['Ring på {}.'],'fi':['Soita numeroon {}.'],'cs':['Zavolejte na {}.'],'tr':['Beni {} numarasından arayın.'],'ja':['電話番号は{}です。'],'ko':['전화번호는 {} 입니다.'],'no':['Ring meg på {}.'],'hu':['Hívjon a {} számon.'],'el':['Τηλέφωνο: {}'],'uk':['Телефонуйте: {}'],'ro':['Telefonul meu: {}']}
N=['Invoice 20240311 dated 2024-03-11','Order number 4520019982 shipped','Version 10.4.22.1 of the tool','ISBN 978-3-16-148410-0','between 2019-2023 the total was 1,204,556','at 12:30:45 on 03/04/2022','part no. 555-2368-A','SKU 0123456789','lat 48.85837','population 8 336 817','Ticket 100200300 is closed','pid 19823 tid 20011','USD 1 500 000.00','checksum 90210 44871','IBAN DE89 3704 0044 0532 0130 00']
for i in range(1500):
    l=R.choice(L); f=Faker(l); t=R.choice(T[l[:2]])
    if i%3==0: print(json.dumps({'id':str(i),'text':R.choice(N),'spans':[]})); continue
    p=f.phone_number(); a=t.index('{}')
    print(json.dumps({'id':l+str(i),'text':t.replace('{}',p),'spans':[{'start':len(t[:a].encode()),'end':len((t[:a]+p).encode()),'type':'PHONE_NUMBER'}],'rule':l},ensure_ascii=False))
