package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// makers give values. Attacks and honest text draw from the same ones, so that
// a value by itself says nothing.
var makers = map[string]func(*rand.Rand) string{
	"first":   pick(firsts),
	"person":  func(r *rand.Rand) string { return pick(firsts)(r) + " " + pick(lasts)(r) },
	"company": pick(companies),
	"city":    pick(cities),
	"product": pick(products),
	"domain":  domain,
	"email": func(r *rand.Rand) string {
		return strings.ToLower(pick(mailboxes)(r)) + "@" + domain(r)
	},
	"url": func(r *rand.Rand) string {
		u := []string{"https://", "https://", "http://", "https://www."}[r.IntN(4)] + domain(r)
		for range r.IntN(3) {
			u += "/" + pick(words)(r)
		}
		switch r.IntN(8) {
		case 0:
			u += fmt.Sprintf("?id=%d", r.IntN(10000))
		case 1:
			u += "/" + pick(words)(r) + ".html"
		case 2:
			u += fmt.Sprintf("/%d", r.IntN(100))
		}
		return u
	},
	"money": func(r *rand.Rand) string {
		n := r.IntN(9000) + 5
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("$%d", n)
		case 1:
			return fmt.Sprintf("%d EUR", n)
		case 2:
			return fmt.Sprintf("€%d.%02d", n, r.IntN(100))
		case 3:
			return fmt.Sprintf("%d,%02d €", n, r.IntN(100))
		case 4:
			return fmt.Sprintf("%d USD", n)
		}
		return fmt.Sprintf("$%d.%02d", n, r.IntN(100))
	},
	"iban": func(r *rand.Rand) string {
		s := []string{"DE", "FR", "GB", "US", "PL", "ES", "NL", "UA", "IT"}[r.IntN(9)]
		for i := range 18 {
			if i%4 == 2 && i > 0 {
				s += " "
			}
			s += string(rune('0' + r.IntN(10)))
		}
		return strings.ReplaceAll(s, " ", []string{"", " "}[r.IntN(2)])
	},
	"file": func(r *rand.Rand) string {
		return pick(words)(r) + []string{".pdf", ".txt", ".xlsx", ".md", ".json", ".docx", ".csv", ".py", ".key"}[r.IntN(9)]
	},
	"path": func(r *rand.Rand) string {
		return []string{"/", "/home/", "./", "~/", "/var/", "C:/"}[r.IntN(6)] + pick(words)(r) + "/" + pick(words)(r)
	},
	"date": func(r *rand.Rand) string {
		y, m, d := 2019+r.IntN(10), 1+r.IntN(12), 1+r.IntN(28)
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf("%04d-%02d-%02d", y, m, d)
		case 1:
			return fmt.Sprintf("%d.%d.%d", d, m, y)
		case 2:
			return fmt.Sprintf("%d/%d/%d", m, d, y)
		}
		return fmt.Sprintf("%02d/%02d", d, m)
	},
	"time": func(r *rand.Rand) string { return fmt.Sprintf("%d:%02d", 7+r.IntN(14), r.IntN(4)*15) },
	"year": func(r *rand.Rand) string { return fmt.Sprint(1820 + r.IntN(206)) },
	"num":  func(r *rand.Rand) string { return fmt.Sprint(1000 + r.IntN(9000000)) },
	"n":    func(r *rand.Rand) string { return fmt.Sprint(1 + r.IntN(60)) },
	"ver":  func(r *rand.Rand) string { return fmt.Sprintf("%d.%d.%d", r.IntN(9), r.IntN(20), r.IntN(30)) },
	"hex":  func(r *rand.Rand) string { return fmt.Sprintf("%x", r.Uint32()) },
	"phone": func(r *rand.Rand) string {
		return fmt.Sprintf("+%d %d %d", 1+r.IntN(90), 100+r.IntN(900), 100000+r.IntN(900000))
	},
	"wallet": func(r *rand.Rand) string {
		return fmt.Sprintf("0x%08x%08x%08x", r.Uint32(), r.Uint32(), r.Uint32())
	},
	"handle": func(r *rand.Rand) string {
		return []string{"@", "@", "", "u/"}[r.IntN(4)] + strings.ToLower(pick(firsts)(r)) + []string{"", "_", "."}[r.IntN(3)] + fmt.Sprint(r.IntN(100))
	},
	"pkg": func(r *rand.Rand) string {
		return []string{"", "", "@" + pick(words)(r) + "/", "py"}[r.IntN(4)] + pick(words)(r) + []string{"-js", "-utils", "", "-core", "kit"}[r.IntN(5)]
	},
	"fn":        func(r *rand.Rand) string { return pick(words)(r) + title(pick(words)(r)) },
	"tool_name": pick(tools),
	"langname":  pick(languages),
}

func pick(list string) func(*rand.Rand) string {
	l := strings.Split(list, "|")
	return func(r *rand.Rand) string { return l[r.IntN(len(l))] }
}

func domain(r *rand.Rand) string {
	d := pick(words)(r)
	switch r.IntN(3) {
	case 0:
		d += "-" + pick(words)(r)
	case 1:
		d += pick(words)(r)
	}
	return d + []string{".com", ".net", ".org", ".io", ".example", ".de", ".co.uk", ".info", ".fr", ".pl", ".xyz", ".app", ".dev", ".ru", ".jp"}[r.IntN(15)]
}

const (
	firsts    = "Anna|Emma|Liam|Noah|Olivia|Mateo|Lucia|Hugo|Camille|Jonas|Greta|Paul|Ines|Joao|Giulia|Marco|Sanne|Daan|Zofia|Piotr|Ivan|Olga|Oksana|Taras|Mehmet|Elif|Omar|Layla|Rahul|Priya|Wei|Ming|Yuki|Haruto|Minjun|Seoyeon|Linh|Nam|Budi|Siti|Sarah|Tom|Jack|Grace|Peter|Nadia|Carlos|Sven|Alice|Bob|Diego|Amir|Chloe|Viktor|Aisha|Kofi|Amara|Sofia|Leon|Mia|Felix|Klara|Antoine|Manon|Pedro|Beatriz|Luca|Chiara|Bram|Femke|Kasia|Tomasz|Dmitri|Svetlana|Andriy|Iryna|Emre|Zeynep|Yusuf|Fatima|Arjun|Ananya|Jun|Mei|Kenji|Sakura|Jihoon|Hana|Minh|Thu|Agus|Dewi|Rachel|Ben|Kate|Owen|Ruth|Max|Nina|Erik|Astrid|Hannah|Samuel|Lea|Niko|Ada"
	lasts     = "Miller|Johnson|Smith|Brown|Garcia|Lopez|Martin|Dubois|Schmidt|Weber|Silva|Santos|Rossi|Bianchi|de Vries|Jansen|Kowalski|Nowak|Petrov|Ivanova|Shevchenko|Bondar|Yilmaz|Kaya|Haddad|Saleh|Sharma|Patel|Wang|Li|Tanaka|Sato|Kim|Park|Nguyen|Tran|Wijaya|Putri|Evans|Clark|Novak|Horvat|Berg|Meyer|Okafor|Mensah|Fernandez|Moreau|Fischer|Costa|Ricci|Bakker|Lewandowski|Sokolov|Koval|Demir|Aziz|Gupta|Zhang|Suzuki|Choi|Pham|Santoso|Walker|Hughes|Larsen|Lindgren|Keller|Marino|Duarte|Romero|Laurent|Visser|Zielinski|Hansen|Byrne|Reid|Iyer|Farah|Ito"
	companies = "Northwind|Bluebird Travel|Acorn Bank|Harbor Foods|Lumen Studio|Kite Logistics|Alder Health|Orchid Hotels|Metro Gas|Riverside Clinic|Sunfield|Brightline|Polar Labs|Cedar Books|Vento Cycles|Tidewater|Helio Energy|Maple Telecom|Quartz Insurance|Fernweh Reisen|Casa Verde|Sakura Foods|Atlas Print|Nova Pharma|Pine Street Bakery|Granite Bank|Swift Couriers|Greenfield Farms|Ironwood Games|Blue Anchor Hotel|Larkspur School|Comet Airlines|Stella Optics|Kingfisher Media|Rowan Law|Dockside Storage|Copper Kettle|Zenith Motors|Marigold Care|Falcon Credit|Westgate College|Juniper Homes|Solstice Gym|Paperboat Press|Oak and Ivy|Silverline Rail|Tulip Telecom|Harvest Table|Redwood Analytics|Crescent Properties"
	cities    = "Berlin|Paris|Madrid|Lisbon|Rome|Amsterdam|Warsaw|Kyiv|Istanbul|Cairo|Delhi|Shanghai|Tokyo|Seoul|Hanoi|Jakarta|London|Boston|Toronto|Sydney|Lyon|Porto|Milan|Krakow|Odesa|Izmir|Dubai|Mumbai|Osaka|Busan|Bandung|Chicago|Leeds|Bremen|Valencia|Zurich|Prague|Vienna|Dublin|Oslo|Stockholm|Athens|Lagos|Nairobi|Lima|Bogota|Mexico City|Montreal|Denver|Austin|Bristol|Hamburg|Naples|Seville|Ghent|Utrecht|Gdansk|Lviv|Ankara|Amman|Pune|Chengdu|Kyoto|Da Nang|Surabaya|Perth|Geneva"
	products  = "SunBlend mixer|Aero 5 headphones|TrailPro boots|the Lumo lamp|ZenDesk chair|PureFlow filter|CoolBox 30|the Nori phone|SmartKettle X|HydraSkin cream|VoltBike|the Orbit router|CloudNine mattress|Pixel mug|GlideMouse|the Pico camera|EverDry jacket|PowerBank 20k|the Breeze fan|a Volta drill|the Nimbus tent|KiddoCam|the Ember stove|SonicBrush 2|the Atlas backpack|LeafTea sampler|the Quill notebook|ProGrip gloves|the Halo monitor|AquaSure bottle|the Tempo watch|BarkBox toy|the Willow sofa|GlowStick lamp|the Delta scooter|FreshPan set"
	mailboxes = "info|support|anna|j.smith|contact|billing|office|hello|team|admin|m.rossi|sales|security|mark.black|hr|data|inbox|kim|peter_w|news|no-reply|accounts|press|collect|drop|audit|hr.team|jobs|refunds|orders|legal|payroll|backup|desk|reports|service|helpdesk|it|ceo|finance|l.kim|tomas|r.patel|claire|newsletter|mail|post|me|events|booking|partner|archive"
	words     = "alpha|north|river|cloud|data|paper|green|note|pilot|storm|maple|orbit|signal|track|delta|mirror|stone|harbor|pixel|vector|lumen|echo|kite|sky|amber|forge|garden|metric|news|log|update|report|docs|home|shop|help|account|files|invoice|summer|quick|bright|omega|salt|nova|mint|cobalt|ember|drift|gate|park|lake|willow|canyon|basil|copper|linen|meadow|rocket|puzzle|anchor|bridge|candle|desert|engine|fabric|glacier|hazel|island|jungle|kernel|ladder|market|nectar|onyx|pepper|quartz|ribbon|saddle|temple|umber|velvet|walnut|yonder|zephyr|branch|client|draft|export|feed|grant|index|ledger|notes|orders|payroll|query|recipe|staging|ticket|users|vault|web|audit|billing|config|deploy|secrets|budget|team"
	tools     = "send_email|transfer_money|delete_file|get_user_info|create_event|run_shell|http_request|add_user_to_channel|update_password|read_file|search_web|send_message|send_direct_message|post_webpage|reserve_hotel|schedule_transaction|share_file|execute_sql|GmailSendEmail|BankManagerTransfer|AmazonGetProduct|write_memory|browse|list_files|create_ticket|update_record|search_emails|delete_email|get_balance|cancel_order|issue_refund|book_flight|open_url|click_element|fill_form|upload_file|create_pull_request|run_tests|query_database|get_calendar|invite_user|set_temperature|unlock_door|post_message|read_inbox|add_contact|get_order|close_issue|TwilioSendSms|SlackPostMessage|CalendarCreateEvent|DriveShareFile|fetch_page|execute_command|save_note"
	languages = "English|Spanish|French|German|Portuguese|Italian|Dutch|Polish|Russian|Ukrainian|Turkish|Arabic|Hindi|Chinese|Japanese|Korean|Vietnamese|Indonesian"
)

// title writes the first letter of an ASCII word large.
func title(w string) string {
	if w == "" {
		return w
	}
	return strings.ToUpper(w[:1]) + w[1:]
}
