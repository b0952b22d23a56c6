package classify

import (
	"strings"
	"unicode/utf8"
)

// The vocabulary of keys: what their words say of values, in some twenty languages. A word
// may say several things; keys are compared without accents.
const (
	wordName   = 1 << iota // name, nombre
	wordPart               // first, given: parts with a name behind
	wordWhole              // surname, vorname: parts by themselves
	wordHuman              // patient: a person in any case
	wordRole               // customer: a person or a firm
	wordThing              // product: has a name, and is no person
	wordOther              // id, email: not a name
	wordLoose              // nickname
	wordAction             // created by, assigned to
	wordBy                 // by, to
	wordFill               // of, the, primary: says nothing
	wordFirst              // a person in Romance languages: what follows says of what
)

var keyWords = func() map[string]uint16 {
	m := map[string]uint16{}
	add := func(w string, flag uint16) {
		if flag == wordFirst { // of words that are there already, with accents or without
			for _, form := range [...]string{w, plainForms(w)[0]} {
				if m[form] != 0 {
					m[form] |= flag
				}
			}
			return
		}
		m[w] |= flag
		for _, plain := range plainForms(w) {
			if plain != w && m[plain]&^flag == 0 {
				m[plain] |= flag
			}
		}
	}
	for _, list := range []struct {
		flag  uint16
		words string
	}{
		{wordName, `name names nm nme nom nome nombre naam navn namn nimi imię имя ad adi adı isim 姓名 氏名 名前 이름 성명 nazwa nazev nev nume ονομα название наименование навзва назва nama ten
nominativo denominacion denominazione denomination`},
		{wordPart, `sur fore social fn ln ojca matki matky otce отца матери first last given family middle maiden full legal preferred real birth complete completo completa complet famille familia pila father's second née naissance usage usuel
jeune fille nacimiento materno paterno soltera primer primero segundo nubile celibe nascita geboorte geboren gebore ursprunglig panienskie rodowe former christian
chosen maternal paternal`},
		{wordWhole, `sname firstname lastname surname forename givenname familyname middlename maidenname fullname fname lname mname vorname nachname familienname rufname geburtsname prenom
prénom prenoms apellido apellidos cognome voornaam achternaam sobrenome etunimi sukunimi fornavn etternavn efternamn efternavn förnamn fornamn imie imię nazwisko jmeno
jméno prijmeni příjmení soyad soyadi soyadı adsoyad имя фамилия отчество 姓 名 姓名 氏名 이름 성명 fio фио zuname vollname nachnamen vornamen apelido apelidos sobrenomes nombres
cognomi prenomi voornamen roepnaam tussenvoegsel meisjesnaam mellannamn tilltalsnamn mellemnavn mellomnavn kutsumanimi jmena rodne keresztnev vezeteknev
csaladnev utonev prenume soyisim soyismi onadi göbekadi прізвище батькові имени fornames forenames surnames lastnm firstnm lnm fnm personname familynm givennm firstn
lastn prenomusuel nomusuel`},
		{wordHuman, `mech tiers officier baptised baptized christened arrested detained wounded retired buddy ettiren lehtar keeper skipper csm accused patient employee emp attendee adjuster appraiser passenger person people persons individual human student pupil teacher tutor instructor trainer professor doctor
physician nurse surgeon therapist practitioner clinician midwife dentist spouse husband wife child children kid son daughter father mother parent sibling kin guardian
dependent dependents relative traveler traveller travelers travellers booker occupant resident heir witness rider postdoc borrower taker investigator pi household
appellant petitioner speaker presenter panelist invitee nominee donor volunteer coach player captain courier pilot interviewer interviewee interpreter mentor mentee
attorney lawyer solicitor notary judge plaintiff defendant signatory signatories signer signee cardholder assignee candidate newborn deceased victim suspect roommate
flatmate neighbor neighbour colleague supervisor caregiver carer nanny babysitter bride groom passport jockey cyclist foreman staffer clerk cashier waiter chef cook
barber hairdresser stylist photographer mechanic gardener mitarbeiter mitarbeiterin ansprechpartner ansprechpartnerin patientin arzt ärztin bewerber bewerberin fahrer
fahrerin sachbearbeiter sachbearbeiterin bearbeiter betreuer kontaktperson ehepartner ehegatte kind kinder vater mutter reisende reisender fahrgast schüler lehrer
begleitperson paciente empleado empleada pasajero pasajera médico médica medico conductor huesped huésped huespedes alumno alumna profesor persona trabajador
acompañante employé employée passager voyageur médecin chauffeur élève professeur personne interlocuteur salarié paziente dipendente passeggero ospite conducente
studente autista medewerker contactpersoon patiënt pacjent pracownik kierowca lekarz osoba gość hasta çalışan yolcu öğrenci kişi funcionário passageiro hóspede
motorista aluno сотрудник пациент водитель пассажир accountant actress admiral adopter adoptee aide ambassador anesthetist apprentice arrestee artisan astronaut athlete
baby bailiff banker bailor barista bartender benefactor bishop boss boy brother bridesmaid builder butcher butler carpenter cameraman caretaker catcher celebrant
chairperson chairman chairwoman chaplain chiropractor citizen civilian cleaner clergyman coauthor cohost companion companions complainant confessor constable contestant
copilot coroner councillor councilor counsel counsellor counselor countersigner cousin coworker craftsman crewmember curator custodian dad debtor deckhand decedent
deputy designer detainee detective dietitian disciple dispatcher doorman draftsman dressmaker drummer dweller electrician elector elder emcee emigrant envoy
epidemiologist escort evaluator examiner examinee executor executrix expert eyewitness fan farmer fellow fiance fiancee firefighter fisherman florist follower forewoman
friend fosterer geologist godchild godfather godmother godparent godparents governor governess graduate granddaughter grandfather grandmother grandparent grandson
grantee grantor groomsman guitarist gunner handyman headmaster headmistress headteacher heiress heirs helper helpdesker hiker hirer historian homeowner homeroomteacher
hostess housekeeper hunter hygienist illustrator immigrant informant inmate inhabitant injured insider internee internist inventor jailer janitor journalist juror
jurors keeper killer laborer labourer landlady landowner lecturer legatee librarian lifeguard linesman linguist lodger lodgers magistrate maid manicurist masseur
masseuse matron mayor mediator medic medics meteorologist militant minister minor mum musician navigator neonate nephew niece newcomer newlywed nominator novelist nun
nurses nutritionist obstetrician officiant oncologist onlooker opponent optician optometrist orderly organist orphan outpatient inpatient ownerdriver painter paralegal
paramedic pardoner parishioner parolee pastor pathologist patron pediatrician paediatrician penfriend pensioner petsitter pharmacist physicist physiotherapist pianist
planner plumber podiatrist poet policeman policewoman politician porter postman preacher prisoner probationer proctor prof programmer promisee prosecutor proofreader
psychiatrist psychologist psychotherapist purchaser radiographer radiologist rabbi ranger rapporteur realtor receptionist registrar repairman rescuer retiree roofer
sailor salesman saleswoman samaritan scholar scientist scout sculptor seafarer seamstress selectee senator sergeant sharer sheriff shooter shopper singer sister skipper
soldier soloist sommelier spokesperson spokesman spokeswoman squire stakeholder stepfather stepmother stepson stenographer steward stewardess storyteller stranger
strategist subtenant suitor superintendent surety surveyor survivor swimmer tailor taxpayer teammate teller teen testator testatrix toddler trainee transcriber
trespasser trucker trustee trustor twin typist umpire uncle aunt undersigned undertaker undergraduate underwriter usher veteran vet veterinarian vicar violinist
vocalist voter waitress warden watchman weaver welder whistleblower widow widower wifey winner workman writer youth zookeeper watcher watchers pax counsellors
attendants attendant performer performers ptnt pt phys stu hcp pcp gp refphys physicianname crewman alumni alumnus arzthelferin anwalt anwältin angehöriger angehörige
angestellter angestellte antragstellerin auszubildender auszubildende azubi bauherr bauleiter beamter beamtin begünstigter begünstigte beifahrer beklagter beklagte
berater beraterin beschuldigter besucher besucherin betreuerin betreute bevollmächtigter bevollmächtigte bewohner bewohnerin bürge bruder chefin dolmetscher eigentümer
eigentümerin elternteil enkel erbe erbin erblasser erziehungsberechtigter erzieher fahrlehrer fahrzeughalter halter feuerwehrmann gärtner geschädigter geschäftsführer
geschäftsführerin geselle gesellschafter gläubiger gutachter hausarzt hausärztin hausmeister hebamme helfer ingenieur jubilar kapitän kassierer kellner kellnerin
klientin kläger klägerin koch köchin kollege kollegin krankenschwester kandidat lehrerin leiter leiterin lehrling makler meister mitbewohner mitreisender monteur
nachbar notar notarin oma onkel opa opfer partnerin pate patenkind pfarrer pfleger pflegekraft pflegerin polizist praktikant praktikantin projektleiter proband prüfer
psychologe rechtsanwalt rechtsanwältin referent referentin rentner richter richterin sanitäter schaffner schiedsrichter schuldner schwester sekretärin sohn soldat
steuerberater studentin täter tante taufpate teilhaber tochter trainerin unterzeichner unterzeichnete verletzter verlobter vermieterin versicherter versicherte
verstorbener verstorbene vertreter vertreterin verwalter vormund vorgesetzter vorgesetzte vorsitzender wähler zeuge zeugin zusteller arbeitnehmer arbeitnehmerin
angerufener anrufer anruferin abonné accompagnant acheteuse actionnaire adhérent adjoint agriculteur aidant ami animateur apprenti architecte artiste assistant
assistante assuré assurée avocat avocate bailleur bénévole bénéficiaire cadre candidat chercheur chirurgien citoyen coiffeur collaborateur collaboratrice collègue
comptable concierge concubin conducteur conductrice conjoint conjointe conseiller conseillère copropriétaire créancier cuisinier débiteur défendeur défunt dentiste
directeur directrice docteur donateur éducateur électeur emprunteur encadrant enfant enquêteur enseignant enseignante entraîneur époux épouse étudiant étudiante fils
formateur formatrice fonctionnaire frère gardien gérant gérante gestionnaire greffier héritier hôte hôtesse huissier infirmier infirmière inspecteur institutrice
interprète intervenant inventeur jardinier journaliste juge juré kinésithérapeute légataire livreur maire maître maman mandataire mandant mari mécanicien médiateur mère
naissant notaire nourrice nounou opérateur ouvrier papa parrain marraine participante particulier patiente pasteur père pharmacien photographe pilote plaignant
plaignante plombier pompier postulant préposé prévenu procureur proprio psychologue réceptionniste remplaçant requérant retraité salariée secouriste serveur signataire
sinistré soeur soignant souscripteur stagiaire succeseur témoin traducteur travailleur tuteur tutrice usager vendeuse vérificateur victime visiteur voisin voisine
abogado abogada abuelo abuela acreedor acreditado acusado adjudicatario administrador administradora agraviado alcalde aprendiz apoderado apoderada arquitecto
arrendador arrendadora arrendatario arrendataria asegurado asegurada asesor asesora asistente autónomo auxiliar avalista aval ayudante bebé becario beneficiaria cajero
camarero capitán causante cirujano ciudadano cocinero codeudor colaborador compañero compareciente conserje consejero contribuyente cónyuge copiloto corredor cuidador
cuidadora demandado demandada demandante denunciante dependiente deudor difunto difunta directora doctora dueño dueña electricista electora enfermero enfermera
entrenador esposo esposa estudiante examinador familiar fallecido fiador firmante fontanero fotógrafo funcionaria gerente heredero heredera hermano hermana hijo hija
imputado infractor ingeniero ingeniera inquilina interesado interesada inversor invitado jardinero jefe jefa jubilado juez jueza legatario letrado lesionado madre
maestro maestra marido mayordomo médicos niño niña niñera notario novio novia obrero operador operadora padre padrino madrina pareja periodista perito pintor piloto
prestatario procurador profesora propietaria psicólogo querellante recepcionista representante repartidor reo residente socio socia solicitantes sobrino sospechoso
suscriptor testador testigo tía tío titulares trabajadora traductor traductora tutora usuaria vecino vecina vendedora víctima viajero viajera viudo viuda votante
ponente remitentes firmantes accompagnatore accusato affittuario alunna amministratore amministratrice apprendista architetto arbitro artigiano assicurato assicurata
assistito assistente attore avvocato avvocatessa badante bambino bambina cameriere capitano cassiere cittadino collaboratore collega coinquilino compratore
comproprietario coniuge consulente contribuente convenuto convivente creditore cuoco curatore debitore defunto defunta delegato dentista dipendenti direttore direttrice
docente dottore dottoressa elettricista elettore erede esaminatore fattorino fidanzato figlio figlia firmatario fratello garante genitore genitori geometra giardiniere
giornalista giudice giurato idraulico imputato incaricato infermiere infermiera ingegnere insegnante istruttore lavoratore lavoratrice locatario locatore marito
mediatore medici mittenti moglie muratore neonato nipote nonno nonna notaio operaio operatore ospiti parente partecipante passeggera pensionato pilota portiere
possessore poliziotto praticante presidente procuratore professore proprietario proprietaria rappresentante referente richiedenti ricercatore ricoverato segretaria
segretario sorella sottoscritto sottoscritta studentessa subaffittuario supplente tecnico testatore testimone tirocinante traduttore turista tutore utente utilizzatore
vedova vedovo venditore venditrice vicino vicina viaggiatore visitatore vittima volontario zia zio assuntore aangever accountmanager advocaat arts afnemer bedrijfsarts
begunstigde behandelaar behandelaars beheerder beklaagde belastingadviseur bestuurder bestuurders betrokkene bewoner bezoeker bezorger broer bruid bruidegom buurman
buurvrouw deelnemer deelnemers dienstdoende dochter docent echtgenoot echtgenote eiser erfgenaam erflater fotograaf gastheer gebruiker gedaagde gemachtigde
gevolmachtigde gids gezinslid hoofdbewoner huisarts huisgenoot huurster instructeur interieurverzorger jubilaris kapitein kandidaat kassier kok koper koerier
kraamverzorgster leerling leerkracht leidinggevende leraar lerares lotgenoot makelaar mantelzorger medebewoner medehuurder medeverzekerde moeder neef nicht notaris
omwonende onderzoeker ondertekenaar ontwerper oom opvolger ouder ouders overledene passagier peetouder penningmeester piloot predikant psycholoog rechter reiziger
reizigers scheidsrechter schuldenaar schuldeiser secretaris slachtoffer sollicitant spreker stagiair tandarts tolk tuinman uitvoerder vader verdachte verhuurder
verkoper verloofde verpleegkundige verpleger vertegenwoordiger vertaler vervanger verzekerde verzekeringnemer verzorger verzorgende voogd voorzitter vriend vrijwilliger
weduwe werknemer werkneemster werkster zoon zus zwager zorgverlener acompanhante adquirente advogado advogada afilhado aluna anfitrião aposentado arquiteto artesão
assinante ator atriz avaliador avó babá bombeiro cabeleireiro candidata capitão chefe cidadão cirurgião cobrador colaboradora colega condômino condutor condutora
cônjuge consultor consumidor contratante contribuinte coordenador corretor cozinheiro credor criança cunhado curador dependente deputado devedor diretor diretora doador
doadora dono dona eletricista eleitor empregado empregada enfermeiro enfermeira engenheiro entregador escrivão estagiário estagiária estudante filha filho
fisioterapeuta garçom genitor genitora gestor guia herdeiro herdeira indiciado instrutor inspetor inventariante irmã irmão jardineiro jornalista juiz juíza locador
locadora locatária mãe mensageiro mestre morador moradora motoboy namorado neto neta noivo noiva operário orador ouvidor padrinho madrinha pai palestrante pedreiro
pensionista policial porteiro portador possuidor prefeito preposto professora proponente psicóloga queixoso réu requerido requerente reclamante relator responsáveis
segurado segurada signatário sobrinho sogra subscritor suplente suspeito tabelião tesoureiro testemunha testemunhas trabalhador trabalhadora tradutor tripulante
utilizador veterinário viajante vigilante visitante vítima vizinho vizinha viúva voluntário absolwent adwokat agentka aplikant architekt asystent autorka babcia biegły
brat budowlaniec cudzoziemiec córka dłużnik dyrektor dziadek dziecko dziennikarz egzaminator elektryk emeryt fotograf fryzjer fundator gospodarz gwarant hydraulik
inspektor inżynier kandydat kasjer kelner kierownik kolega koordynator konduktor konsultant korepetytor kucharz kupujący kurator kurier kuzyn lektor lekarka listonosz
lokator małżonek małżonka mama mąż matka mechanik mieszkaniec nabywca narzeczony nauczyciel nauczycielka notariusz ochroniarz oddany odbierający ofiara ogrodnik ojciec
opiekun opiekunka oskarżony oskarżyciel pacjentka pasażer pasażerka pełnomocnik petent pielęgniarka pielęgniarz podatnik podejrzany podopieczny podpisujący podróżny
policjant poręczyciel poszkodowany poszkodowana powód pożyczkobiorca pozwany pracownica praktykant prawnik prelegent prezes prokurator prowadzący prezydent
przedstawiciel przełożony psycholog radca ratownik recepcjonista rezydent rodzic rodzice rolnik rowerzysta rzecznik sąsiad sędzia sekretarka siostra spadkobierca
spadkodawca sprawca sprzedający sprzedawca stażysta strażnik studentka syn szef szwagier świadek świadkowie tata teść tłumacz trener turysta ubezpieczający ubezpieczony
uczennica uczestnik uczeń ucznia ujawniający uprawniony użytkownik właścicielka wnioskodawca wnuk wolontariusz wspólnik współlokator współwłaściciel wujek wykładowca
wynajmujący wychowawca zarządca zastępca zawodnik zleceniodawca zleceniobiorca zgłaszający zmarły zmarła żona żołnierz zlecający referentka advokat anhörig ansvarig
anställd antagonist arbetare arbetsledare arbetstagare arrendator arvinge avliden barn barnbarn barnmorska besökare beställare bokare borgenär brandman bror brud
brudgum brottsoffer chaufför dagmamma deltagare dotter domare elev elever fader far fastighetsägare fordonsägare författare förmyndare förmånstagare försäkrad
försäkringstagare föräldrar förälder förare granne gäldenär handläggare hyresgäst hyresvärd innehavare jurist jägare kassör kapten kassörska kock kollega konsult kund
köpare läkare lärare ledare lantmätare låntagare maka målsägande mamma medarbetare medborgare mor mormor morfar mottagare målare nämndeman ombud ordförande pappa
passagerare polis präst psykolog revisor rådgivare rörmokare sakägare sekreterare servitör sjuksköterska skådespelare skuldsatt spelare sökande säljare syster talare
tandläkare testamentstagare tränare undersköterska undertecknad vaktmästare vittne vittnen vårdare vårdnadshavare värd ägare åklagare ombudsman ansøger arbejdstager
ansat ansatt barnebarn bestyrer beboer besøgende bestiller bruger dommer ejer forsikrede forsikringstager fører gæst gjest indehaver innehaver jordemoder kærester
kæreste køber kontakt læge lege lærer leietaker lejer udlejer utleier medarbejder modtager mottaker nabo nevø underskriver sagsbehandler saksbehandler selger sælger
sygeplejerske sykepleier søker søster sjåfør tandlæge tannlege vidne vitne værge verge ægtefælle ektefelle pårørende asiakas asiakkaan asukas avustaja edunvalvoja
esimies esittelijä haastateltava haastattelija hakijan hakija hallinnoija hammaslääkäri henkilö hoitaja huoltaja ilmoittaja isä isännöitsijä johtaja kantaja kapteeni
kirjoittaja kokki kuljettaja kuluttaja kummi kuolinpesä kuollut kurssilainen kätilö käsittelijä kääntäjä lapsi lapset lastenhoitaja lentäjä lähettäjä lähiomainen
lääkäri maanviljelijä maksaja matkustaja matkustajat myyjä naapuri omainen omistaja opas opettaja opiskelija oppilas ostaja osakas osallistuja palkansaaja perillinen
poika poliisi potilas potilaan puhuja puoliso puutarhuri päällikkö rehtori sairaanhoitaja saaja sihteeri sisar sisko siivooja syyttäjä tarkastaja tilaaja todistaja
tuomari tulkki tutkija tytär työntekijä työntekijän urheilija uhri vaimo vakuutettu vakuutuksenottaja valmentaja vanhempi vanhemmat vastaaja vastaanottaja vastuuhenkilö
vieras vieraat vuokralainen vuokranantaja vuokraaja yhteyshenkilö ystävä äiti alacaklı amir anne anneanne arkadaş aşçı asistan avukat babaanne bakıcı başkan başvuran
berber bilirkişi borçlu büyükanne çalışanlar çırak çocuk damat danışan danışman davacı davalı dede diyetisyen doktoru eczacı eğitmen ebeveyn ebe elçi emekli emlakçı eş
eşi garson gelin gezgin gönderici görevli gözlemci hakem hakim hastanın hekim hemşire imzalayan işçi itfaiyeci kaptan kardeş katılımcı kayınpeder kefil kiracı kiralayan
komşu kız kocası koca koç konuk konuşmacı kullanıcı kurye mağdur memur mirasçı misafirler mühendis muhasebeci müdür müracaatçı noter nişanlı oğul öğretmen öğrenciler
ortak oyuncu postacı psikolog rehber sahip sahibi sanık satıcı sakin savcı seyyah sekreter şoför sigortalı sorumlu stajyer sürücü şef şüpheli tanık teyze terzi torun
turist usta üye vasi vekil veli yardımcı yazar yetkili yönetici yolcular ziyaretçi müteveffa абонент адвокат аспирант бабушка бенефициар брат бухгалтер владелец
водителя воспитатель врача врачи выгодоприобретатель гид гражданин грузополучатель грузоотправитель дедушка депутат директор дочь доверенное доверитель егерь жена жених
жертва житель жилец заказчик заёмщик заемщик заместитель заявитель знакомый инженер инспектор истец исполнитель кандидат капитан кассир клиента консультант конкурсант
контактное координатор курьер лицо лётчик мастер мать медсестра менеджер механик муж наблюдатель наниматель начальник наследник невеста нотариус няня обвиняемый опекун
ответственный ответчик отец официант очевидец пассажира пациента пациентка пенсионер переводчик плательщик покупатель получателя пользователь помощник поручитель
пострадавший потерпевший почтальон представитель преподаватель претендент прокурор продавец психолог работник ребенок ребёнок референт репетитор родитель родители
руководитель секретарь сестра слушатель собственник сосед сотрудника сотрудники стажёр стажер страхователь студент студентка судья супруг супруга сын телефонист
терапевт тренер турист умерший уполномоченный участник участники учащийся ученик ученица учитель учительница фельдшер фотограф хирург хозяин хозяйка эксперт экскурсовод
юрист арендатор арендодатель застрахованный свидетель свидетели отправителя гостя посетитель опекаемый absolvent asistent bratr dárce dědeček dědic dítě držitel
důchodce hráč instruktor jednatel kontaktní kupující lékař majitel majitelka manžel manželka nájemce nájemník navrhovatel nemocný návštěvník objednatel obžalovaný
opatrovník oprávněný otec pacient pacientka plátce pojištěný pojistník poškozený příjemce přítel prodávající právník pracovník pronajímatel průvodce přednášející
ředitel řidič rodič rozhodčí sestra soudce soused spolubydlící spolujezdec starosta svědek tlumočník učitel učitelka uchazeč účastník uživatel věřitel vedoucí vlastník
vnuk zaměstnanec zákazník zastupitel zástupce zemřelý žadatel žák žalobce žalovaný zletilý alperes alkalmazott anya apa beteg bérlő bérbeadó bíró biztosított címzett
diák dolgozó egyetemista eladó előadó feladó feleség felperes férj feltaláló gondnok gyám gyermek hallgató házastárs igazgató jelentkező jogosult kapcsolattartó
kérelmező kedvezményezett képviselő kezelőorvos könyvelő lakó nővér nagyanya nagyapa oktató örökös orvos páciens pályázó résztvevő szülő szülők tanár tanító tanú tanuló
tulajdonos tolmács ügyfél ügyintéző ügyvéd utas utasok vásárló vendég vevő angajat asigurat beneficiar bolnav chiriaș conducător copil cumpărător curier debitor
destinatar expeditor fiică fiu frate garant inginer locatar martor mire mireasă moștenitor oaspete pacientă parinte pasager persoană polițist proprietar reclamant
reprezentant salariat semnatar soț soție șofer utilizator vânzător vizitator voluntar karyawan pasien pengemudi penyewa penerima pengirim siswa guru dokter perawat
saksi tamu pemilik pembeli penjual peserta pemohon wali ayah ibu anak suami istri nasabah pegawai`},
		{wordRole, `attending cust clnt supv provider customer client guest contact contacts author authors assignee reporter recipient recipients beneficiary beneficiaries applicant member members manager managers mgr
lead leader owner owners approver reviewer reviewers requester requestor creator editor committer contributor contributors maintainer maintainers participant
participants invitees host hosts agent agents representative rep reps salesperson seller buyer tenant landlord lessee lessor renter borrower lender guarantor insured
policyholder claimant payer payee payor partner holder accountholder subscriber referrer referee caller operator technician engineer developer translator narrator
artist composer actor director producer founder ceo cfo cto shareholder consignee sender user users admin administrator coordinator organizer organiser chair secretary
treasurer recruiter consultant advisor adviser broker auditor inspector investigator analyst worker caseworker staff personnel crew driver drivers pusher respondent
learner customers clients employees patients guests passengers attendees students speakers candidates applicants tenants residents visitors visitor registrant enrollee
delegate cc bcc from to kunde kundin kunden gast gäste mieter mieterin vermieter empfänger absender auftraggeber inhaber kontoinhaber karteninhaber versicherungsnehmer
teilnehmer mitglied besteller käufer verkäufer betreff_person verfasser autor ersteller antragsteller cliente agente titular destinatario remitente contacto solicitante
responsable miembro comprador vendedor propietario usuario encargado invité destinataire expéditeur titulaire demandeur auteur membre acheteur vendeur locataire
propriétaire mittente titolare richiedente responsabile autore membro acquirente intestatario inquilino klant ontvanger afzender eigenaar huurder aanvrager klient
klientka odbiorca nadawca właściciel najemca müşteri musteri misafir alıcı yolcu doktor gönderen destinatário remetente responsável клиент гость получатель отправитель
автор контакт 客户 联系人 担当者 顧客 고객 담당자 counterparty cosigner cosignatory cobuyer coborrower coapplicant coinsured designee drafter drawee giver grader handler initiator
installer investor joiner keyholder licensee licensor lienholder lister loader mortgagor mortgagee moderator moderators nominees observer observers orderer originator
packer payees picker placer preparer proposer proposers rater reader receiver releaser remitter repairer replier resolver responder reviewee scorer scorers seconder
signers sponsor supporter talker tasker teamlead tipper trader transferee transferor triager updater uploader verifier viewer consignor consignors notifier notify
appellee party parties poc stakeholders champion decisionmaker escalation oncall principal bearer transcriptionist adjudicator advocate affiant arbitrator assessor
assignor attestor attester auctioneer bidder bidders blogger challenger clinicians closer collaborator collaborators commenter commentator commissioner convener
copywriter correspondent critic crossexaminer debater depositor diner besitzer besitzerin bucher einreicher einsender finder gastgeber geber interessent käuferin melder
nutzer organisator planer reservierer schenker spender stifter unterhändler untermieter verfasserin verursacher vorbesitzer zahler zahlungsempfänger zahlungspflichtiger
kontoinhaberin ausgestellt bestellerin acquéreur ayant cédant cessionnaire cotitulaire créateur débitrice donneur gagnant initiateur interlocutrice invités organisateur
payeur porteur preneur propriétaires récipiendaire rédacteur remettant représentant réservataire responsables séjournant signé utilisateur utilisatrice valideur
anfitrión arrendante autorizado cedente cesionario coautor codirector comisionista compradora concursante consignatario creador cuentahabiente depositante donante
encargada fotografiado ganador gestora informante inscrito librador moderador ocupante ordenante organizador otorgante pagador poseedor receptor redactor referido
acquirenti bonificante cessionario compilatore compratrice contraente creatore delegante detentore donatore esecutore fideiussore incaricata inviato locatrice mandante
mandatario moderatore occupante ordinante organizzatore pagatore portatore redattore relatore revisore sottoscrittore subentrante titolari verbalizzante vincitore
aanmelder begunstigden bezitter boeker budgethouder contactpersonen eindverantwoordelijke gebruikers gever houder huurders indiener inlener inschrijver kaarthouder
ontvangers opsteller rekeninghouder verantwoordelijke verzenders winnaar comodante comodatário correntista destinatários encarregado favorecido hospedeiro indicado
investidor outorgante portadora promitente recebedor remetentes sacado vencedor autoryzujący beneficjent cedent członek donator dysponent dzierżawca goście
kredytobiorca nadający obdarowany odbiorcy odpowiedzialny organizator płatnik posiadacz przewodniczący recenzent redaktor rezerwujący składający sporządził uczestnicy
wnoszący wystawiający zamawiający zatwierdził zawierający zgłosił betalare bokningsansvarig gästerna gäster inlämnare kontoinnehavare kortinnehavare uthyrare
uppdragsgivare utsedd vinnare bidragstagare remittent kortholder kontohaver`},
		{wordThing, `établissement etablissement lycée collège klinik klinika werkstatt dienststelle polizeidienststelle apteka apotheke ground monitor maker analyser analyzer scanner sensor shelter rack vlan storm collateral fastighet finca parcela immeuble immobile acente sede gestore road host file product branch company organization organisation org business employer firm event room hotel city town village street country state province region county
district project team group channel category item sku brand make device plan tag label class method function package module server service services app application db
database table column field folder directory bucket queue topic repo repository screen theme bank school university college department dept division merchant store shop
campaign course song album book movie film show game currency language lang timezone locale color colour font site website page domain hostname computer machine node
cluster pod container image instance zone vendor supplier manufacturer insurer shipper publisher component catalog catalogue institution firma placowka szpital juzgado
tribunal assureur versicherung verwaltung bedrijf depot otel garage workshop clinic hospital pharmacy court ministry authority agency foundation namespace profile scope
port track artist genre place venue location building floor restaurant airport station line route vehicle car ship vessel airline carrier flight train drug medication
medicine disease diagnosis test procedure role permission policy rule filter job task step stage workflow pipeline build commit release version environment env variable
parameter param attribute property option feature flag setting template form document report list view widget menu chart board sprint epic milestone ticket issue
subject title description summary type status action food dish recipe ingredient species breed pet animal club league tournament band journal conference symposium unit
office warehouse asset equipment material collection series playlist podcast episode datei produkt unternehmen projekt stadt straße strasse ort land bundesland
abteilung marke modell verein schule artikel gerät rechner raum zimmer producto empresa ciudad calle pais país provincia proyecto marca modelo archivo escuela banco
tienda habitacion produit entreprise société ville rue pays projet marque modèle fichier école banque magasin prodotto azienda città via paese progetto modello scuola
banca negozio stad straat merk model bestand produto cidade rua arquivo escola mountain river lake island ocean continent planet star galaxy constellation monument
castle bridge tower stadium arena theater theatre museum gallery library cinema bar pub cafe bakery supermarket mall mart market dealership laboratory lab plant factory
mill mine farm ranch subdivision neighborhood neighbourhood suburb borough parish settlement territory prefecture canton oblast kraj landkreis gemeinde kommune comuna
commune comune concelho gmina kaupunki kunta município municipality miasto město város oraș şehir ilçe semt mahalle город район область республика улица страна село
посёлок деревня місто birthplace birthtown birthcity hometown residence destination terminal gate dock berth pier wharf hub yard stop halt junction motorway highway
freeway avenue boulevard lane square plaza park garden beach forest valley desert campsite resort hostel motel lodge inn flat villa chalet viale ulica gata gade katu
utca strada sokak cadde ulice geburtsort geburtsland wohnort herkunftsort heimatort lieu lugar luogo luoghi naturalidade miejsce plaats geboorteplaats woonplaats
födelseort syntymäpaikka místo születési dogumyeri doğum yeri место рождения gmbh gesellschaft konzern betrieb empleador empregador werkgever pracodawca arbetsgivare
arbejdsgiver arbeidsgiver työnantaja zaměstnavatel munkáltató angajator işveren работодатель raison sociale razón ragione razao fantasia compagnie maison
boutique fabricant fournisseur prestataire éditeur caisse mutuelle transporteur compañía sociedad razonsocial negocio proveedor fabricante aseguradora caja
transportista cooperativa organismo ayuntamiento entidad ditta impresa società ragionesociale denominazionesociale fornitore fabbricante produttore compagnia ente
vettore bedrijfsnaam onderneming organisatie leverancier fabrikant producent verzekeraar maatschappij stichting vereniging vervoerder companhia sociedade fornecedor
seguradora transportadora instituição órgão spółka przedsiębiorstwo dostawca ubezpieczyciel przewoźnik instytucja organizacja siedziba uczelnia zakład företag bolag
aktiebolag leverantör tillverkare försäkringsbolag förening myndighet kommun virksomhed selskab leverandør yritys yhtiö yhdistys toimittaja valmistaja vakuutusyhtiö
järjestö virasto pankki koulu koulun sairaala společnost dodavatel výrobce pojišťovna organizace úřad škola nemocnice cég vállalat gyártó szállító biztosító iskola
kórház companie furnizor producător spital școală şirket kurum kuruluş üretici tedarikçi banka okul üniversite hastane marka ürün gemi araç kitap şarkı компания
организация предприятие фирма поставщик производитель страховая банк школа университет больница товар продукт марка судно корабль автомобиль книга песня гостиница отель
магазин проект учреждение perusahaan toko kota jalan produk kapal kendaraan sekolah merek cars vehicule vehiculo veículo veicolo voertuig pojazd fordon fahrzeug køretøj
kjøretøy ajoneuvo vozidlo jármű bil wagen motorbike motorcycle bike bicycle scooter truck lorry tram engine aircraft airplane helicopter drone rocket satellite
spacecraft barge boat yacht ferry tanker trawler sailboat submarine navire bateau barco buque nave navio schip schiff statek łódź skepp fartyg skib laiva alus loď hajó
vapor novel poem opera symphony painting sculpture comic manga magazine newspaper verse essay thesis lecture seminar webinar curriculum subj degree diploma certificate
exam textbook libro livre boek książka bok livro kirja kniha könyv carte cançon canción canzone piosenka dessert drink beverage wine beer cheese cocktail spice grape
vintage meal cuisine appliance gadget toy weapon garment dress shoe shoes hat bag jewel perfume cosmetic fabric furniture carpet lamp sofa cat dog horse bird cow sheep
tree flower fungus bacterium virus mineral rock gem crop fruit vegetable rasse raza razza ras substance compound molecule protein gene enzyme vaccine antibiotic
supplement syndrome disorder symptom squad faction regiment battalion brigade troop tribe clan guild dynasty embassy consulate committee bureau commission federation
charity ngo temple mosque synagogue monastery academy kindergarten daycare preschool gymnasium institute polytechnic conservatory szkoła skole skolan brokerage agence
agencia agenzia agentur lawfirm kanzlei étude bufete ward wing hall homeroom classroom lecturehall chamber studio issuer retailer distributor wholesaler
marketer descriptor router firewall adapter printer scanner battery charger compressor header footer browser compiler linker parser renderer daemon kernel plugin
extension addon codebase keyspace schema shard replica vm hypervisor helm experiment cohort segment audience dataset corpus checkpoint runbook playbook dashboard alert
quarter semester season round phase mode occupation beruf profession profesión profissão professione beroep zawód yrke stilling ammatti povolání foglalkozás meslek
профессия должность posten puesto cargo qualifica stanowisko religion sprache langue lingua taal język språk kieli jazyk nyelv dil язык holiday festival evento
événement veranstaltung wydarzenie evenemang fabrikat hersteller variant flavor flavour range edition format
talk keynote workshop assignment homework reading deal opportunity practice surgery nursery salon brewery winery funktion fonction función funzione funkcja função functie clinica clínica clinique kliniek przychodnia
movies rose cultivar article articulo articolo artigo van suite campus position video clip trailer holding fond mutualfund`},
		{wordOther, `bezeichnung objekt object objet oggetto id ids uid uuid guid key url uri link href email mail mails phone telephone tel mobile fax count number no num nr date time at
on since until code hash token secret address addresses addr avatar photo picture gender sex age dob birthday birthdate nationality size amount price total quantity qty
index position order rank score rating level grade note notes comment comments message text body content ip mac path query params data value values is has can password
pin login bio salutation prefix suffix zip postal postcode initials type status state ssn iban bic account method title reference ref slug headline caption heading
slogan motto tagline keyword keywords command cmd arg args pattern pixel css html xml json yaml base64 checksum barcode qr vin imei lot batch`},
		{wordLoose, `nickname nick alias screenname displayname display shown username login handle sirname label accountname account pseudonym stagename penname gamertag spitzname surnom
apodo soprannome bijnaam smeknamn прозвище preferredname artistname`},
		{wordAction, `left licensed created updated modified edited changed submitted assigned reported approved signed booked prepared requested reviewed completed closed opened resolved handled issued
sold ordered paid referred invited uploaded written authored recorded verified checked entered added performed ship shipped bill billed deliver delivered sent received
served seen attended witnessed cared taught raised owned managed led founded designed built drafted translated narrated directed produced composed painted sung hosted
presented moderated supervised sponsored notarized certified attested countersigned confirmed acknowledged cancelled canceled refunded rejected denied escalated triaged
merged pushed pulled deployed released published posted commented liked shared followed reserved rented leased borrowed lent inspected audited examined diagnosed
treated operated prescribed dispensed administered admitted discharged transported driven picked packed loaded unloaded weighed counted scanned tagged labelled cleaned
repaired installed serviced calibrated tested graded marked scored collected returned logged typed dictated transcribed archived purchased bought won donated nominated
elected appointed hired fired interviewed recruited trained mentored seconded proposed held kept used worn found lost heard filed lodged claimed accused arrested
escorted guided accompanied invoiced erstellt geprüft genehmigt unterschrieben bearbeitet angelegt geändert gezeichnet verfasst angenommen bestellt gebucht créé modifié
validé rédigé établi creado modificado firmado aprobado elaborado revisado recibido entregado realizado creato modificato firmato approvato redatto compilato ricevuto
aangemaakt gewijzigd ondertekend goedgekeurd behandeld criado assinado aprovado recebido utworzony utworzone podpisane zatwierdzone sporządzone przyjęte skapad signerad
godkänd handlagd registrerad oprettet underskrevet godkendt luonut hyväksynyt allekirjoittanut hazırlayan onaylayan oluşturan создан подписан утвержден составил принял`},
		{wordBy, `by to for with por par von da door przez durch af av tarafından від dal dalla pelo pela fra till an zu aan`},
		{wordFill, `of the de du des del della do da di van der den la le primary secondary main other new old current previous next lead emergency billing shipping delivery sales case
care project team account policy card attending referring responsible in charge on my your our their pre co cl s1 additional alternate alt authorized authorised legal
registered ship bill actual original vendor i technical support latest active third fourth fifth 1st 2nd sub vice assoc associate chief senior junior jr sr acting
interim ex future duty night shift off local regional national global medical financial clinical police forklift taxi bus music sound light tv radio sous qualified temp
front desk help haupt neben zweit erst ersatz stell stv stellv gesetzlicher gesetzliche behandelnder behandelnde zuständiger zuständige verantwortlicher verantwortliche
traitant suppléant tercero nuevo nueva antiguo curante nuovo seconda secondo tweede eerste nieuwe novo nova nowy nowa pierwszy drugi ny nya andre uusi toinen yeni
ikinci`},
		{wordFirst, `abonné accompagnant acheteuse actionnaire adhérent adjoint agriculteur aidant ami apprenti architecte artiste assistante assuré assurée avocat avocate bailleur bénévole
			bénéficiaire candidat candidate chercheur chirurgien citoyen coiffeur collaborateur collaboratrice collègue comptable concubin conducteur conductrice conjoint conjointe
			conseiller conseillère copropriétaire créancier cuisinier débiteur défendeur défunt dentiste directeur directrice docteur donateur éducateur électeur élève emprunteur
			encadrant enfant enquêteur enseignant enseignante entraîneur époux épouse étudiant étudiante fiancé fille fils formateur formatrice fonctionnaire frère gardien gérant
			gérante gestionnaire greffier héritier hôte hôtesse huissier infirmier infirmière ingénieur inspecteur institutrice interprète intervenant inventeur jardinier
			journaliste juge juré kinésithérapeute légataire livreur locataire maire maître maman mandataire mandant mari mécanicien médiateur mère naissant notaire nourrice nounou
			opérateur ouvrier parrain marraine participante particulier patiente pasteur père pharmacien photographe pilote plaignant plaignante plombier pompier préposé prévenu
			procureur proprio psychologue réceptionniste remplaçant requérant résident retraité salariée secouriste signataire sinistré soeur sœur soignant souscripteur stagiaire
			succeseur suspect témoin traducteur travailleur tuteur tutrice usager vendeuse vérificateur victime visiteur voisin voisine abogado abogada abuelo abuela acompañante
			acreedor acreditado acusado adjudicatario administrador administradora agraviado alcalde aprendiz apoderado apoderada arquitecto arrendador arrendadora arrendatario
			arrendataria asegurado asegurada asesor asesora asistente autónomo avalista aval ayudante bebé becario beneficiaria cajero camarero capitán causante cirujano ciudadano
			cocinero codeudor colaborador compañero compareciente conserje consejero contribuyente cónyuge copiloto corredor cuidador cuidadora demandado demandada demandante
			denunciante dependiente deudor difunto difunta directora doctora dueño dueña electricista electora enfermero enfermera entrenador esposo esposa estudiante examinador
			fallecido fiador firmante fontanero fotógrafo funcionario funcionaria heredero heredera hermano hermana hijo hija imputado infractor ingeniero ingeniera inquilina
			interesado interesada intérprete inversor invitado jardinero jefe jefa jubilado juez jueza legatario letrado lesionado maestra marido mayordomo médicos niño niña niñera
			notario novio novia obrero operador operadora padrino madrina pareja pasajera periodista perito pintor piloto prestatario procurador profesora propietaria psicólogo
			querellante recepcionista representante repartidor reo socio socia solicitantes sobrino sospechoso suscriptor testador testigo tía tío titulares trabajadora traductor
			traductora tutora usuaria vecino vecina vendedora víctima viajero viajera viudo viuda votante ponente remitentes firmantes accompagnatore accusato affittuario alunna
			amministratore amministratrice apprendista architetto arbitro artigiano assicurato assicurata assistito assistente attore autista avvocato avvocatessa badante bambino
			bambina cameriere capitano cassiere cittadino collaboratore collega coinquilino compratore comproprietario conducente coniuge consulente contribuente convenuto
			convivente creditore cuoco curatore debitore defunto defunta delegato dentista dipendenti direttore direttrice dottore dottoressa elettricista elettore erede
			esaminatore fattorino fidanzato figlio figlia firmatario fotografo fratello garante genitore genitori geometra giardiniere giornalista giudice giurato idraulico
			imputato incaricato infermiere infermiera ingegnere insegnante istruttore lavoratore lavoratrice locatario locatore marito mediatore medici mittenti moglie muratore
			neonato nipote nonno nonna notaio operaio operatore ospiti parente partecipante passeggera pensionato pilota portiere possessore poliziotto praticante presidente
			procuratore professore proprietario proprietaria psicologo rappresentante richiedenti ricercatore ricoverato segretaria segretario sorella sottoscritto sottoscritta
			studentessa subaffittuario supplente tecnico testatore testimone tirocinante traduttore turista tutore utente utilizzatore vedova vedovo venditore venditrice vicino
			vicina viaggiatore visitatore vittima volontario zia zio assuntore acompanhante adquirente advogado advogada afilhado aluna anfitrião aposentado arquiteto arrendatário
			artesão assinante ator atriz avaliador avó avô babá bebê bombeiro cabeleireiro capitão chefe cidadão cirurgião cobrador colaboradora colega comprador condômino condutor
			condutora cônjuge consultor consumidor contratante contribuinte coordenador corretor cozinheiro credor criança cunhado curador dependente deputado devedor diretor
			diretora doador doadora dono dona eletricista eleitor empregado empregada enfermeiro enfermeira engenheiro entregador escrivão estagiário estagiária estudante filha
			filho fisioterapeuta funcionária garçom genitor genitora guia herdeiro herdeira indiciado instrutor inspetor inventariante irmã irmão jardineiro jornalista juiz juíza
			locador locadora locatário locatária mãe médica mensageiro mestre morador moradora motoboy namorado neto neta noivo noiva notário operário orador ouvidor padrinho
			madrinha pai palestrante pedreiro pensionista policial porteiro portador possuidor prefeito preposto professor professora proprietária psicóloga queixoso réu requerido
			requerente reclamante relator responsáveis segurado segurada signatário sobrinho sócio sócia sogra subscritor suplente suspeito tabelião tesoureiro testemunha
			testemunhas trabalhador trabalhadora tradutor tripulante usuária utilizador veterinário viajante vigilante visitante vítima vizinho vizinha viúva voluntário angajat
			asigurat beneficiar bolnav chiriaș conducător copil cumpărător curier expeditor fiică fiu garant inginer locatar mamă medic mireasă moștenitor notar oaspete pacientă
			parinte părinte pasager persoană petent polițist proprietar reclamant reprezentant salariat semnatar soț soție șofer tată turist utilizator vânzător vizitator voluntar
			paciente empleado empleada pasajero médico medico conductor huesped huésped alumno alumna profesor trabajador passager voyageur médecin medecin eleve professeur
			personne interlocuteur salarié paziente dipendente passeggero ospite studente funcionário passageiro hóspede motorista aluno titular destinatario remitente contacto
			solicitante responsable autor miembro vendedor propietario usuario encargado invité destinataire expéditeur titulaire demandeur auteur membre acheteur vendeur
			propriétaire mittente titolare richiedente responsabile autore membro acquirente intestatario inquilino destinatário remetente responsável tiers officier agente
			acquéreur ayant cédant cessionnaire cotitulaire créateur débitrice donneur gagnant initiateur interlocutrice invités organisateur payeur porteur preneur propriétaires
			récipiendaire rédacteur référent remettant représentant réservataire responsables séjournant signé utilisateur utilisatrice valideur anfitrión arrendante autorizado
			cedente cesionario coautor codirector comisionista compradora concursante consignatario creador cuentahabiente depositante donante encargada fotografiado ganador
			gestora informante inscrito librador moderador ocupante ordenante organizador otorgante pagador poseedor receptor redactor referido revisor acquirenti bonificante
			cessionario compilatore compratrice contraente creatore delegante detentore donatore esecutore fideiussore incaricata inviato locatrice mandante mandatario moderatore
			occupante ordinante organizzatore pagatore portatore redattore relatore revisore sottoscrittore subentrante titolari verbalizzante vincitore beneficiária cessionário
			comodante comodatário correntista destinatários encarregado favorecido hospedeiro indicado investidor mandatário outorgante portadora promitente recebedor remetentes
			sacado vencedor`},
	} {
		for _, w := range strings.Fields(list.words) {
			add(w, list.flag)
		}
	}
	return m
}()

// plainForms gives a word without accents, and as those write it who have no accents:
// "läkare" is "lakare", "käufer" is "kaeufer" too.
func plainForms(w string) [2]string {
	return [2]string{string(plainKey(nil, []byte(w))), string(plainKey(nil, []byte(umlauts.Replace(w))))}
}

// plainKey writes a Latin word of a key without accents.
func plainKey(dst, w []byte) []byte {
	for i := 0; i < len(w); {
		if w[i] < utf8.RuneSelf {
			dst = append(dst, w[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(w[i:])
		dst = append(dst, plainLetter(r)...)
		i += n
	}
	return dst
}

// wrapWords are keys that say nothing of what they hold: it is what the key above them is.
var wrapWords = wordSet(`info infos information details detail data value values val display record entry object node attributes attribute attrs formatted content item self inner wrapper
text string literal display_value displayvalue primary secondary tertiary main
daten angaben wert informations donnees valeur datos valor dati valore gegevens waarde dados dane wartosc uppgifter varde oplysninger tiedot arvo udaje hodnota adatok bilgi bilgiler deger данные значение сведения`)

// denseKind is keyKind for keys in scripts without blanks: they end in what they name.
func denseKind(key string) fieldKind {
	for _, e := range denseKeys {
		for _, end := range e.ends {
			if strings.HasSuffix(key, end) {
				if e.kind != fieldBare {
					return e.kind
				}
				// A name: of what stands before it.
				rest := strings.TrimRight(strings.TrimSuffix(key, end), "的の_- ")
				if rest == "" {
					return e.alone
				}
				switch kind := denseKind(rest); kind {
				case fieldPerson, fieldRole:
					return fieldPerson
				case fieldThing, fieldPart:
					return kind
				}
				return e.alone
			}
		}
	}
	return fieldUnknown
}

var denseKeys = []struct {
	kind, alone fieldKind
	ends        []string
}{
	{fieldPart, 0, []string{"姓氏", "名字", "姓", "苗字", "名前(名)", "セイ", "メイ"}},
	{fieldBare, fieldFull, []string{"氏名", "姓名", "お名前", "フルネーム", "성명"}},
	{fieldThing, 0, []string{"会社名", "商品名", "製品名", "品名", "店名", "学校名", "病院名", "都市名", "地名", "书名", "書名", "公司名称", "产品名称", "商品名称", "件名", "회사명", "상품명", "제품명", "도시명", "학교명", "병원명"}},
	{fieldBare, fieldBare, []string{"名前", "名称", "名", "이름", "명"}},
	{fieldThing, 0, []string{"会社", "公司", "企業", "企业", "法人", "社", "銀行", "银行", "病院", "医院", "学校", "大学", "校", "店", "市", "都市", "城市", "町", "村", "区", "県", "省", "州", "国", "地", "所", "先", "場", "站", "駅", "館", "宿", "ホテル", "酒店",
		"部", "課", "部門", "部门", "科", "商品", "製品", "产品", "物", "品", "車", "车", "船", "本", "书", "書", "曲", "薬", "药", "種", "类", "型", "職業", "职业", "회사", "기업", "은행", "병원", "학교", "도시", "제품", "상품", "부서", "직업"}},
	{fieldPerson, 0, []string{"者", "人", "徒", "員", "员", "師", "师", "士", "手", "客", "生", "主", "長", "长", "様", "さん", "先生", "医生", "医", "患者", "家族", "父", "母", "妻", "夫", "子", "友", "担当", "ゲスト", "ドライバー", "オーナー", "ユーザー", "スタッフ", "メンバー",
		"자", "인", "원", "사", "님", "고객", "환자", "기사", "학생", "직원", "손님", "회원"}},
}

// healthField reports whether a key is a component of a person's name as HL7 v2 numbers
// them: PID.5.1, NK1-2-2, PV1_7_3. given and family stand in components one to three.
func healthField(key []byte) bool {
	var seg [3]byte
	if len(key) < 5 || len(key) > 14 || strings.IndexByte(".-_", key[3]) < 0 {
		return false
	}
	copy(seg[:], key)
	for i := range seg {
		if is(seg[i], cLower) {
			seg[i] -= 'a' - 'A'
		}
	}
	fields, ok := healthNames[string(seg[:])]
	if !ok {
		return false
	}
	n, component := 0, 0
	part := &n
	for _, c := range key[4:] {
		switch {
		case is(c, cDigit):
			*part = *part*10 + int(c-'0')
		case strings.IndexByte(".-_", c) >= 0 && part == &n:
			part = &component
		default:
			return false
		}
	}
	return fields>>n&1 == 1 && component <= 4
}

// healthNames are the fields of HL7 v2 segments that hold names of persons.
var healthNames = map[string]uint64{
	"PID": 1<<5 | 1<<6 | 1<<9, "NK1": 1 << 2, "PV1": 1<<7 | 1<<8 | 1<<9 | 1<<17, "GT1": 1 << 3, "IN1": 1 << 16, "OBR": 1<<10 | 1<<16, "ORC": 1<<10 | 1<<11 | 1<<12, "MRG": 1 << 7, "ROL": 1 << 4,
}
