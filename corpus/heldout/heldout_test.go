// Package heldout_test keeps the held-out sets of this folder and of heldout2 to
// heldout10 honest: well formed, and never a copy of what the detector is trained
// on or tuned with.
package heldout_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"index/suffixarray"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
)

// row is one line of a set. Its field order is the order in the file: a line
// has to be what the encoder would write, so a stray, doubled or misspelled
// field cannot hide.
type row struct {
	ID     string `json:"id"`
	Label  int    `json:"label"`
	Kind   string `json:"kind"`
	Lang   string `json:"lang"`
	Text   string `json:"text"`
	Source string `json:"source"`
}

// set says what a file must hold. A label belongs to the whole set.
type set struct {
	label int
	least int // rows
	kinds string
	langs string
}

const others = "es fr de pt it nl pl ru uk tr ar hi zh ja ko vi id"

// folder is one generation of held-out sets.
type folder struct {
	dir    string
	source string // of every row
	prefix string // of every id, before the name of its set
	sets   map[string]set
}

var folders = []folder{
	{".", "heldout", "heldout-", firstSets},
	{"../heldout2", "heldout2", "h2-", secondSets},
	{"../heldout3", "heldout3", "h3-", thirdSets},
	{"../heldout4", "heldout4", "h4-", fourthSets},
	{"../heldout5", "heldout5", "h5-", fifthSets},
	{"../heldout6", "heldout6", "h6-", joined(sixthSets, sixthHonest)},
	{"../heldout7", "heldout7", "h7-", joined(seventhSets, seventhHonest)},
	{"../heldout8", "heldout8", "h8-", joined(eighthSets, eighthHonest)},
	{"../heldout9", "heldout9", "h9-", joined(ninthSets, ninthHonest)},
	{"../heldout10", "heldout10", "h10-", tenthSets},
}

var firstSets = map[string]set{
	"overt":           {1, 160, "override goal_hijack secret_game extraction persona fake_turn payload_split fiction authority fewshot format social task_switch memory", "en"},
	"spliced":         {1, 140, "mail_thread readme html csv json review ticket calendar pdf search chat code log resume invoice wiki tool_output product_page forum_post newsletter", "en"},
	"important":       {1, 80, "message header before_you_continue user_asked todo mcp_tool reviewer signature system_note", "en"},
	"native":          {1, 238, "override extraction persona secret_game authority goal_hijack fiction fewshot format social memory important spliced_mail spliced_web spliced_review spliced_tool spliced_cv spliced_readme spliced_minutes spliced_invoice spliced_code spliced_ticket spliced_json spliced_csv spliced_chat spliced_log", others},
	"benign_native":   {0, 136, "human_request ai_question trigger assistant_rule mail payment roleplay secret", others},
	"trigger":         {0, 160, "ignore previous instructions system_prompt override bypass forget pretend act_as developer_mode jailbreak reveal secret hidden disregard from_now_on urgent do_not_tell forward_to password execute delete prompt roleplay unrestricted admin filter repeat injection mode", "en"},
	"assistant_rules": {0, 110, "system_prompt agents_md chatbot_rules style_guide model_card policy tool_rules", "en"},
	"llmdocs":         {0, 90, "prompting_guide injection_explained redteam agent_docs tutorial paper blog advisory faq glossary vendor_doc talk news code_example policy_doc forum", "en"},
	"documents":       {0, 120, "newsletter html_form html_page payment_mail password_reset security_advice changelog contributing recipe minutes contract log diff csv code config runbook meeting_mail manual news product_page review ticket wiki letter todo policy school medical calendar json chat readme travel faq legal_notice agenda", "en"},
	"prompts":         {0, 120, "roleplay translation editing code question planning multi_part creative summarise advice settings security math", "en"},
}

var secondSets = map[string]set{
	"overt":           {1, 120, "override goal_hijack secret_game extraction persona fake_turn payload_split fiction authority fewshot format social task_switch memory", "en"},
	"spliced":         {1, 192, "mail_thread readme html csv json review ticket calendar pdf search chat code log resume invoice wiki tool_output product_page forum_post newsletter diff dom_snapshot transcript rag_passage bank_statement shell_output legal_doc", "en"},
	"important":       {1, 100, "message header before_you_continue user_asked todo mcp_tool reviewer signature system_note letter handover postscript banner quoted_user skill_file", "en"},
	"native":          {1, 136, "override extraction secret_game important spliced_mail spliced_review persona spliced_tool authority spliced_web spliced_cv fiction memory social spliced_ticket spliced_invoice format goal_hijack spliced_readme fewshot spliced_chat spliced_minutes spliced_log spliced_csv payload_split spliced_code spliced_json", others},
	"benign_native":   {0, 136, "human_request ai_question trigger assistant_rule mail roleplay secret payment", others},
	"trigger":         {0, 150, "ignore previous instructions system_prompt override bypass forget pretend act_as developer_mode jailbreak reveal secret hidden disregard from_now_on urgent do_not_tell forward_to password execute delete prompt roleplay unrestricted admin filter repeat injection mode rules assistant model", "en"},
	"assistant_rules": {0, 210, "system_prompt agents_md chatbot_rules style_guide model_card policy tool_rules", "en"},
	"llmdocs":         {0, 150, "prompting_guide injection_explained redteam agent_docs tutorial paper blog advisory faq glossary vendor_doc talk news code_example policy_doc forum readme", "en"},
	"documents":       {0, 162, "personal mail tool_output log html_page web_page product_page review ticket csv json code diff config runbook manual minutes contract news recipe letter todo calendar chat policy school medical legal_notice travel wiki forum newsletter agenda readme changelog", "en"},
	"prompts":         {0, 200, "roleplay translation editing code question planning multi_part creative summarise advice settings security math agent_task prompt_help small_talk", "en"},
}

var thirdSets = map[string]set{
	"overt":           {1, 120, "override extraction secret_password persona fake_turn authority secret_game format fiction payload_split goal_hijack social memory fewshot", "en"},
	"spliced":         {1, 150, "mail_thread readme html csv json review ticket calendar pdf search chat code log resume invoice wiki tool_output product_page forum_post newsletter diff dom_snapshot transcript rag_passage bank_statement shell_output legal_doc", "en"},
	"important":       {1, 90, "message header before_you_continue user_asked todo mcp_tool reviewer signature system_note letter handover postscript banner quoted_user skill_file", "en"},
	"native":          {1, 102, "override extraction persona important spliced_mail spliced_review fake_turn spliced_web spliced_tool secret_game spliced_ticket fiction spliced_cv social spliced_minutes format spliced_log spliced_invoice spliced_chat goal_hijack", others},
	"benign_native":   {0, 102, "human_request ai_question assistant_rule mail roleplay secret trigger payment", others},
	"trigger":         {0, 120, "ignore previous instructions system_prompt override bypass forget pretend act_as developer_mode jailbreak reveal secret hidden disregard from_now_on urgent do_not_tell forward_to password execute delete prompt roleplay unrestricted admin filter repeat injection mode rules assistant model", "en"},
	"assistant_rules": {0, 120, "system_prompt agents_md chatbot_rules style_guide model_card policy tool_rules", "en"},
	"llmdocs":         {0, 140, "prompting_guide readme paper changelog blog injection_explained redteam agent_docs tutorial course faq glossary vendor_doc talk news code_example policy_doc advisory forum", "en de es fr ja zh pt ru"},
	"documents":       {0, 200, "mail readme changelog code html_page log csv ticket prose json config diff tool_output web_page product_page review wiki forum newsletter minutes contract news recipe letter todo calendar chat policy school medical legal_notice travel runbook manual agenda faq", "en"},
	"prompts":         {0, 180, "question code editing summarise translation roleplay game creative planning advice settings security math agent_task prompt_help small_talk oddity multi_part pasted long_setup", "en"},
}

var fourthSets = map[string]set{
	"overt":           {1, 160, "extraction override persona jailbreak fake_turn obfuscated fake_notice task_switch long terse format tool_abuse fiction game indirect combined refusal_bypass long_persona authority split polite memory many_shot", "en"},
	"spliced":         {1, 160, "tool_output mail web_page pdf code ticket json log mail_thread review cv chat_export obfuscated readme transcript html wiki calendar search_results issue spreadsheet forum metadata product letter notes config social contract manual academic diff csv survey terms rss notebook news pull_request jobad story form alert dataset caption prose newsletter", "en"},
	"important":       {1, 96, "message subtle fake_system important_tag in_tool_result header user_asked tool_description reviewer handover skill todo banner in_mail in_document gate signature error memory_note terse in_web_page in_repo in_chat in_data in_pdf search_snippet calendar_note form_field qr_ocr voice", "en"},
	"native":          {1, 170, "document extraction override persona note fake_notice task_switch jailbreak authority fake_turn game split polite obfuscated combined tool_abuse long fiction terse", others},
	"benign_native":   {0, 170, "human_request ai_question system_prompt ai_document notice roleplay warning prompt document", others},
	"trigger":         {0, 130, "ignore forget override disregard system_prompt reveal password act_as secret admin pretend you_are_now from_now_on new_instructions previous above important execute delete forward transfer rules assistant ai agent developer_mode jailbreak urgent send confidential dont_tell restrictions filter bypass sudo model stop instead reset role confirm approve token hidden unrestricted bot verbatim repeat translate debug simon limits no_matter obey", "en"},
	"assistant_rules": {0, 100, "system_prompt agents_md tool_description skill bot_rules custom_instructions policy judge_prompt sub_agent onboarding_for_agent guard_prompt style_guide template mcp_instructions model_card fine_tuning_note", "en ar de es fr it ja pl pt ru tr zh"},
	"llmdocs":         {0, 130, "llmdoc paper docs prompting_guide blog readme forum security_guide changelog course news howto tutorial model_card policy product_page issue security_advisory social interview glossary eval_report transcript dataset_card review mail minutes pull_request comic_or_humour release_notes", "en ar de es fr hi id it ja ko nl pl pt ru tr uk vi zh"},
	"documents":       {0, 160, "mail web_page code log json manual tool_output ticket minutes news wiki letter transcript academic chat_export review prose mail_thread issue readme contract search_results policy recipe faq pull_request diff yaml csv cv invoice calendar form social html legal_notice notes newsletter table rss status_page job_ad press_release game_rules pdf spreadsheet email_digest", "en ar de es fr hi id it ja ko nl pl pt ru tr uk vi zh"},
	"prompts":         {0, 180, "question near_miss agent code paste write meta correction oddity other roleplay prompting personal creative translate math long edit summarize game plan classify", "en ar de es fr ja pl pt ru tr zh"},
}

var fifthSets = map[string]set{
	"overt":           {1, 122, "jailbreak override terse prompt_leak authority obfuscated password tools output persona fake_turn game task_switch fake_notice fiction long polite", "en"},
	"spliced":         {1, 130, "forum ticket tool_output form listing log mail manual markup dataset json minutes news policy terminal notebook readme survey transcript chat code commit letter review yaml calendar contract cv patient_note", "en"},
	"important":       {1, 110, "message tool_result mail tagged review_note user_asked gate system_note tool_description todo banner chat handover signature skill_file", "en"},
	"native":          {1, 136, "note override document persona authority mail password prompt_leak review fake_notice game jailbreak tools chat fiction polite terse fake_turn json obfuscated output code log task_switch", others},
	"benign_native":   {0, 102, "near_miss document request", others},
	"trigger":         {0, 112, "ignore act_as admin delete forget forward from_now_on jailbreak override pretend reveal secret system_prompt do_not_tell instructions bypass disregard hidden password ai confidential developer_mode disable execute no_longer repeat role_play rules transfer unrestricted important simulate urgent", "en"},
	"assistant_rules": {0, 72, "system_prompt tool_desc bot_policy agents_md guard_prompt judge_prompt custom_instructions skill_file prompt_template memory_rules cursor_rules", "en es de fr it ja nl pl pt ru tr uk zh"},
	"llmdocs":         {0, 89, "forum guide paper post docs course advisory changelog news transcript faq glossary issue policy readme spec blog comparison interview newsletter report review tutorial", "en de es fr ja pt ru zh it ko nl pl tr uk"},
	"documents":       {0, 125, "mail code notice ticket manual minutes news contract log tool_output json lesson recipe changelog chat review config letter csv html memo readme job_ad medical meeting policy postmortem pull_request speech sql web_page yaml", "en de es fr ar hi id it ja ko nl pl pt ru tr uk vi zh"},
	"prompts":         {0, 128, "near_miss question agent code letter pasted correction oddity creative roleplay data plan math", "en de es fr it ar hi ja ko nl pl pt ru tr zh"},
}

var sixthSets = map[string]set{
	"overt":     {1, 143, "prompt_leak override jailbreak terse password authority tools persona game output task_switch fake_turn obfuscated long fake_notice fiction polite", "en"},
	"spliced":   {1, 131, "tool_output mail log code mail_thread ticket chat json minutes policy transcript issue csv html wiki forum review news manual pdf search_results terminal calendar form letter invoice contract dataset listing recipe spreadsheet commit diff yaml readme cv newsletter notebook survey patient_note web_page", "en"},
	"important": {1, 108, "tool_result mail web_page review_note tool_description system_note header todo chat handover banner signature skill_file gate user_asked tagged memory_note error form_field calendar_note voice", "en"},
	"native":    {1, 204, "note override prompt_leak authority mail review ticket persona jailbreak terse chat password form game log tools listing output task_switch json fiction polite fake_turn", others},
}

// sixthHonest is by another author than sixthSets.
var sixthHonest = map[string]set{
	"benign_native":   {0, 102, "near_miss request document", others},
	"trigger":         {0, 120, "instructions ignore system secret override send password prompt disregard forget bypass reveal rules pretend act_as role developer admin restrictions delete jailbreak filter safety token api_key execute hidden repeat urgent assistant translate above confidential unlimited stop output", "en"},
	"assistant_rules": {0, 90, "system_prompt tool_description agent_file skill_file bot_rules judge_prompt guard_prompt prompt_template style_guide policy model_card", "en de fr es pt it nl pl ru ja zh ko"},
	"llmdocs":         {0, 150, "quotes_attack forum guide post docs paper course release_notes advisory news faq glossary ticket interview minutes review comparison talk policy readme changelog", "en de es fr pt it nl pl ru zh ja uk tr ar hi ko vi id"},
	"documents":       {0, 220, "notice mail code minutes ticket manual contract log config_file release_notes chat_export readme web_page speech policy newsletter incident_report runbook invoice review medical json letter recipe job_advert csv html lesson wiki news forum_post travel", "en de fr es pt it nl pl ru tr zh ja uk ar hi ko vi id"},
	"prompts":         {0, 150, "near_miss mail code work study writing life agent cooking roleplay tech followup travel data long sheet health translate summary legal money garden kids", "en es fr de pt it pl ru nl uk tr ar hi zh ja ko"},
}

var seventhSets = map[string]set{
	"overt":     {1, 104, "override prompt_leak jailbreak authority tools persona fake_turn password fake_notice output task_switch fiction social terse game polite long fewshot memory split obfuscated", "en"},
	"spliced":   {1, 99, "tool_output mail ticket transcript web_page readme html json review log chat code cv calendar invoice wiki forum product_page newsletter rag_passage bank_statement news mail_thread search survey letter spreadsheet commit csv diff legal_doc minutes shell_output pdf issue yaml social manual po_file medical dom_snapshot job_ad rss chat_export policy terms app_reviews sql_result travel translation_job ocr note form academic contract notebook school alert image_caption recipe dataset_card customer_service policy_memo documentation", "en"},
	"important": {1, 81, "tool_result mail web_page review_note tool_description chat handover system_note header todo banner skill_file gate user_asked tagged error form_field signature memory_note calendar_note voice", "en"},
	"native":    {1, 102, "mail prompt_leak review jailbreak authority override ticket persona listing minutes password note form fiction log", others},
}

// seventhHonest is by another author than seventhSets.
var seventhHonest = map[string]set{
	"benign_native":   {0, 68, "near_miss request document", others},
	"trigger":         {0, 70, "ignore instructions forget override system secret password reveal bypass pretend act_as send delete admin jailbreak confidential do_not_tell execute rules stop prompt important urgent hidden repeat role restrictions safety developer token api_key assistant above output transfer forward from_now_on unrestricted disregard previous injection model filter translate debug unlimited", "en"},
	"assistant_rules": {0, 60, "system_prompt tool_description agent_file bot_rules prompt_template judge_prompt policy skill_file guard_prompt memory_rules style_guide custom_instructions model_card cursor_rules", "en fr de es pl ja nl ko"},
	"llmdocs":         {0, 112, "quotes_attack docs guide paper forum news faq course post advisory comparison release_notes policy blog glossary ticket interview minutes talk report issue tutorial newsletter code_example wiki review readme spec job_advert", "en de fr es ja pt zh ru ko it uk tr ar hi nl pl vi"},
	"documents":       {0, 141, "mail note_to_software tool_output web_page manual notice log contract policy ticket minutes form letter news review csv config_file mail_thread code readme recipe html chat_export wiki legal_notice runbook chat diff invoice json medical forum_post lesson incident_report speech release_notes transcript job_advert sql calendar newsletter postmortem jira faq job_log pull_request survey bank_statement dataset travel product_page memo school rag_passage", "en de fr es it nl ja pt ru zh ar tr pl ko uk vi id hi"},
	"prompts":         {0, 90, "near_miss work code study agent life question cooking legal tech translate writing roleplay data travel long math health money kids sheet creative editing pasted mail followup summary garden planning oddity", "en de es fr tr nl ru hi it uk zh pl ja ar ko id vi"},
}

var eighthSets = map[string]set{
	"overt":     {1, 144, "override prompt_leak jailbreak long_persona authority fewshot tools terse pasted fake_turn format obfuscated social fake_notice fiction game indirect task_switch password mixed memory split many_shot polite multi_turn", "en"},
	"spliced":   {1, 122, "tool_output log html_page mail_thread agent_trace manual csv json wiki transcript review invoice chat pdf dom_snapshot code ticket minutes contract academic search_results cv config ocr translation_job rag_passage form metadata social chat_export diff terms forum newsletter readme policy notebook legal_doc calendar bank_statement dataset alert commit rss spreadsheet medical listing story lesson recipe travel customer_service sql_result shell_output yaml voicemail survey product_page job_ad news patch_notes mail_digest mixed_thread prose", "en"},
	"native":    {1, 112, "override mixed mail jailbreak long_document prompt_leak log web_page ticket review authority note persona tool_output minutes csv fake_turn chat contract fewshot password code task_switch listing transcript fiction dataset social review_note game terse", others},
	"important": {1, 98, "tool_result tagged mail tool_description system_note chat skill_file web_page header review_note handover todo banner gate user_asked error form_field signature memory_note voice calendar_note postscript reviewer long_letter in_document qr_ocr", "en"},
}

// eighthHonest is by another author than eighthSets.
var eighthHonest = map[string]set{
	"benign_native":   {0, 68, "near_miss request document", others},
	"trigger":         {0, 81, "instructions password ignore system_prompt override secret bypass forget previous disregard reveal pretend act_as you_are_now from_now_on send delete admin developer_mode jailbreak do_not_tell execute rules restrictions urgent injection forward transfer confidential unrestricted assistant repeat hidden token filter above model output prompt debug safety role stop important developer translate", "en"},
	"assistant_rules": {0, 75, "system_prompt tool_description agent_file bot_rules judge_prompt prompt_template guard_prompt policy skill_file custom_instructions model_card memory_rules style_guide onboarding_note", "en de ru es fr pt ja it zh ko tr nl"},
	"llmdocs":         {0, 125, "attack_list forum docs paper guide issue trace course news blog faq advisory readme code_example spec release_notes glossary policy comparison minutes interview talk config report wiki newsletter review dataset_card transcript model_card", "en de ru zh fr es ja it pl ko pt vi nl"},
	"documents":       {0, 164, "mail log notice tool_output manual html minutes ticket chat_export policy contract csv review transcript mail_thread code note_to_software web_page json config_file diff wiki news medical invoice form readme legal_notice table report spreadsheet recipe school calendar runbook letter lesson speech job_advert newsletter search_results social sql pull_request postmortem survey dataset rss po_file yaml alert bank_statement academic game_rules terms ocr support_macro legal_index planning insurance data_sheet release_notes tender email_digest pdf_text jira forum_post travel handbook api_reference guidance rag_passage shipping", "en de fr es it ru pt nl pl uk tr ar hi zh ja ko vi id"},
	"prompts":         {0, 92, "near_miss agent pasted code long writing work study tech mixed oddity question followup cooking life data translate roleplay health legal math travel", "en de fr es hi it pl ja ru zh pt"},
}

var ninthSets = map[string]set{
	"overt":     {1, 177, "override extract support_bot faketurn tools long_paste encoded persona agent mode authority memory social_bot sysnotice fiction game pressure grader config_block prefix split suffix fewshot output hr_bot voice exfil translate_game taskswitch guard reason multi_lang safe_context crescendo refund_turns bank_bot game_npc auction edu health_bot dating_bot airline several_turns moderation", "en"},
	"spliced":   {1, 187, "mail_invoice product_page resume paper github_issue review calendar log faq_page meeting_notes readme tool_output support_ticket csv forum diff newsletter agent_trace job_ad wiki chat_log web_comment contract ocr_receipt email_thread package_json mcp_tool voicemail recipe sql_result subtitle real_estate bug_tracker medical_letter http_dump survey terms code_comment rss slack_export spam_marketing contact_form_classic youtube_description resume_classic pdf_abstract_classic issue_classic feedback_classic quiet_vendor_note quiet_summary_note quiet_route quiet_score sms signature alt_text commit_message search_snippets spreadsheet linkedin webhook review_short yaml_config opening_hours exif qa_site terminal event dns_txt menu support_macro git_branch pdf_footer app_notification jira_comment product_json lost_found course_answer translation ad_banner changelog wifi_login handwriting transcript_short kb_article ics_invite_short seo_hidden patent access_log donation regex_doc medical_chat mail_vacation ebook license k8s_event classified tender mail_long_thread html_page agent_trace_long minutes_long runbook cover_letter paper_long log_long travel_blog llmdoc_guide llmdoc_modelcard llmdoc_paper llmdoc_readme llmdoc_forum llmdoc_vendorpage llmdoc_changelog llmdoc_course llmdoc_issue llmdoc_short_card llmdoc_prompt_library llmdoc_api_docs llmdoc_blog_short llmdoc_eval_log llmdoc_discord llmdoc_comparison_table insurance_file ci_log shopping_trace policy_early spread_attack code_long hotel_page legal_mail npm_readme_long webinar_transcript json_crm manual audit_report incident_channel rental_contract consultant_report news_comments inbox_agent_trace grant_proposal jupyter llmdoc_rfp llmdoc_system_card llmdoc_school_policy llmdoc_dataset_sheet llmdoc_newsletter long_html_shop long_thread_support long_api_reference long_medical_guideline long_procurement_chat long_ebook_catalogue long_mail_digest long_config_dump long_minutes_council image_exfil_doc pr_description sharepoint_page bookkeeping_export base64_page obfuscated homoglyph mixed_language_doc forged_chat_in_doc crash_report customs game_mod church_bulletin property_tax_faq wedding_site lab_journal bot_logs_telegram security_txt form_pdf podcast_notes vuln_report very_long_handbook very_long_forum very_long_agent_trace very_long_price_list very_long_terms_update supplier_portal_page translation_job bank_statement course_forum_llm scraped_faq_llm assistant_app_reviews", "en"},
	"native":    {1, 136, "document typed note", others},
	"important": {1, 124, "direct_note tool_result system_note note_mail tool_description handover tag review_note memory footer long_letter resume_note todo skill_file agents_file banner form gate header bot_note voice image crm_note legal_note health_note finance_note security_note doc_comment smart_home", "en"},
}

// ninthHonest is by another author than ninthSets.
var ninthHonest = map[string]set{
	"benign_native":   {0, 85, "near-miss document request", others},
	"trigger":         {0, 92, "work ai program question law chat news security manual code mail theatre medicine school travel notice sports recipe config git games bank shop estate poem bible-study housing military-history", "en"},
	"assistant_rules": {0, 82, "system-prompt tool-desc policy agents-md skill judge-prompt template guard-prompt bot-rules persona cursorrules handover claude-md content-policy mcp-json memory-file rubric prompt-template style-guide richtlinie regole 系统提示 システム talimat systeemprompt instruções 규칙 निर्देश", "en de fr es it pl zh ja uk tr nl pt ko hi"},
	"llmdocs":         {0, 152, "docs paper list forum issue readme guide thread fixture blog report news spec code log course model-card faq advisory changelog slides interview mail glossary config qa ticket yaml-config prompt-library agent-trace eval-table tutorial dataset-card tweet-thread abstract exam newsletter notebook postmortem benchmark-card review comparison podcast red-team-notes press-release artikel article curso articolo documento artykuł руководство 文章 記事 블로그 makale transcript handbook lecture system-design slack vendor-mail howto zine policy-brief test-list survey-paper dev-diary handleiding panduan bai-viet maqala book-chapter proposal chat-transcript benchmark-log discussion cheatsheet release-notes note", "en de fr es it pt pl ru zh ja ko tr da nl uk id vi ar"},
	"documents":       {0, 203, "mail log minutes chat mail-thread ticket csv manual contract faq note html invoice recipe api-response diff release-notes newsletter code tool-output table form report listing config stack-trace obituary changelog support-mail schedule runbook phishing-warning robots-txt school-letter bank-letter ci-log job-ad court game-rules medical issue sudo-log forum privacy-policy source-comment html-mail handover policy review jira wiki terminal webpage-text standard letter sms-log protokoll anleitung amtsblatt email compte-rendu factura aviso articulo verbale regulamento brief handleiding notatka объявление инструкция повідомлення duyuru rapor إعلان सूचना 通知 会議録 안내문 thông-báo pengumuman ticket-comment sms json console commit receipt classified weather label bug voicemail alert note-to-staff legal-notice pr-comment sign spam-quarantine crossword survey status-page handwritten-ocr auction app-permission html-page incident-report travel-guide python-code hr-policy release-plan security-report lease chat-log whitepaper letter-long règlement informe почта-длинная git-log yaml sql man-page theatre-programme union-letter helpdesk-macro scout-game acl pharmacy-notice speech rfc-like complaint inspection catalogue-entry test-report diary quiz code-js xml todo estate-mail oncall-page mail-with-headers terms spreadsheet-dump page-with-comments assembly-manual code-review crime-novel emergency-plan price-list protocol-lab q-and-a-page html-admin bill-of-lading manual-long mail-list guideline zh-manual 手順書 공지-긴글 prosedur-panjang code-comment agenda transcript checklist advert data-sheet k8s-events poem meeting-invite thank-you vendor-doc rundschreiben note-de wiki-long annual-report hydrology-note", "en de fr es ru it pt nl pl tr zh ja ko id uk ar hi vi"},
	"prompts":         {0, 127, "near-miss first later agent pasted-long pasted multi-turn short code creative translation long-question mixed", "en de fr es it pl pt ja zh ru nl tr ko vi id ar hi"},
}

// tenthSets are by one author.
var tenthSets = map[string]set{
	"overt":           {1, 120, "override-american override-corporate override-teen override-non-native override-technical override-legal prompt-theft-american prompt-theft-corporate prompt-theft-teen prompt-theft-non-native prompt-theft-technical prompt-theft-translation-trick prompt-theft-poem prompt-theft-completion prompt-theft-tools prompt-theft-yes-no persona-american persona-teen persona-long persona-grandma persona-debug persona-evil-twin shop-bot-discount shop-bot-contract bank-bot-limits airline-bot-refund clinic-bot-records school-bot-answers hr-bot-salary pizza-bot hotel-bot insurance-bot telecom-bot forged-turn forged-turn-chatml forged-turn-inst forged-turn-xml forged-tool-result forged-turn-markdown tool-abuse-shell tool-abuse-browse tool-abuse-mail tool-abuse-sql tool-abuse-delete authority-vendor authority-police authority-ceo authority-admin-code authority-pen-test authority-parent emotional bribe threat hypothetical fiction fiction-manual game game-secret-word game-points grading grading-code grading-interview grading-llm-judge memory memory-wipe memory-other-users few-shot few-shot-refusals-flipped format format-prefix obfuscated-leet obfuscated-spaced obfuscated-base64 obfuscated-reversed split-payload split-payload-numbered several-turns-in-one language-switch mixed-spanglish mixed-hinglish task-switch task-switch-quiet task-switch-moderation moderation-bypass spam-filter translation-bot coding-agent coding-agent-license coding-agent-secrets legal-waiver legal-subpoena legal-terms technical-temperature technical-debugger technical-unit-test technical-rag technical-kernel non-native-polish-shopkeeper non-native-student non-native-russian-gamer non-native-japanese-office non-native-brazilian voice-assistant car-assistant dating-app-bot government-bot library-bot recipe-bot tutor-bot hiring-bot auction-bot role-reversal confusion sycophancy incremental negative indirect long-pasted-prompt sandbox-claim continuation", "en"},
	"spliced":         {1, 79, "mail-school-trip tool-output-weather chat-log-slack web-page-recipe-blog invoice github-issue pdf-text-lease log-nginx csv-applicants review-product calendar-invite support-ticket-isp html-page-hidden-div code-python minutes-housing-co-op forum-cars email-thread-logistics wiki-page resume bank-statement api-docs scientific-abstract news-article terraform-plan customer-survey-export search-result voicemail-transcript medical-letter property-listing git-commit tripadvisor-style shell-history newsletter jira-accessibility spreadsheet-budget man-page court-filing social-post ocr-receipt pull-request-description product-manual k8s-describe letter-insurance podcast-transcript agent-trace ebook-sample municipal-notice sql-dump lecture-notes long-thesis-chapter long-terms-page long-meeting-transcript long-repo-readme long-customer-thread long-travel-page long-log-of-ci long-essay long-spec long-hr-policy long-faq-page short-memo short-tool-result-xml short-group-chat short-package-page short-voicemail-mail short-lab-report short-classified short-bug-tracker short-poem-page short-school-portal-json short-transit-alert short-diff short-appointment short-quiz-page short-exam-paper short-donation-page short-kernel-log short-wedding-site short-asset-register", "en"},
	"native":          {1, 170, "alone document", others},
	"important":       {1, 104, "tool-result-file-read-user tool-result-db-owner mail-admin web-page-platform tool-description-vendor tool-result-vendor pdf-publisher log-security calendar-boss ticket-customer code-comment-maintainer chat-owner readme-org skill-file memory-file handover-note search-result html-meta form-field voice-transcript alt-text csv-row review-note config sms forum-moderator contract-counsel tool-error tool-error-polite agents.md email-ceo email-bank email-lawyer webhook translation-memory image-ocr wiki-it issue-comment-security-researcher support-chat-developer quiet-owner-of-the-page quiet-\"as-agreed\" quiet-policy quiet-consent quiet-priority quiet-correction quiet-precondition header-in-mail footer json-config-service yaml-pipeline package-metadata chat-parent chat-teacher game-world tool-result-mail-search tool-result-maps tool-result-translation tool-result-crm tool-result-git tool-result-test tool-result-k8s tool-result-home tool-description-memory tool-description-payments tool-description-shadowing job-ad review-request exam-portal court-e-filing vendor-bulletin hr-note bus-timetable recipe diary letter-shape letter-shape-teen memo-shape tag-shape tag-shape-bracket banner-shape poem-like status-shape chatbot-handoff prior-approval mcp-resource npm-install-log spreadsheet-comment book-page farm-advice church-bulletin sports-club transcript-meeting-bot device-label sms-bank-bot notes-in-slide spec-file embedded-reply nested-quote knowledge-base scraped-table changelog long-quiet-platform-migration long-quiet-school long-quiet-audit", "en"},
	"benign_native":   {0, 85, "notice mail prompt rules news about-models contract manual forum code recipe rules-assistant log", others},
	"trigger":         {0, 90, "sentence", "en"},
	"assistant_rules": {0, 42, "system-prompt-pharmacy system-prompt-airline system-prompt-game system-prompt-legal-intake system-prompt-tutor system-prompt-json-extractor system-prompt-brand-voice system-prompt-hotel-voice system-prompt-translator system-prompt-moderation agents.md-go agents.md-web agents.md-data cursor-rules tool-description-search tool-description-shell tool-description-mail tool-description-calendar tool-description-payments skill-invoices skill-travel memory-rules judge-prompt guard-prompt policy-staff-ai policy-university model-card style-guide robots-like system-prompt-few-shot system-prompt-router system-prompt-agent-ops system-prompt-kids-library system-prompt-sales-crm contributing-bots de-system-prompt es-system-prompt fr-agents pt-tool ja-system-prompt long-rules-support-desk long-rules-research-agent", "en de es fr pt ja"},
	"llmdocs":         {0, 39, "paper-abstract blog-hobby docs-framework course-slides forum-question incident-report threat-model news glossary issue prompt-guide red-team-notes test-data-table yaml-eval-config code-test podcast-notes faq vendor-questionnaire opinion reddit-like release-notes-model guideline-journalists support-macro thesis commit-message changelog-filter workshop-handout encyclopedia mail-team q&a-site law-commentary school-project log-of-detector de-guide es-news fr-forum zh-doc long-tutorial long-policy-paper", "en de es fr zh"},
	"documents":       {0, 114, "mail-landlord mail-account-change mail-supplier-bank-change-honest notice-water code-go code-javascript log-android log-systemd csv-shifts html-shop recipe minutes-ngo contract-nda forum-cycling github-issue-honest api-doc medical-leaflet school-letter runbook phishing-warning job-ad release-notes news product-review wiki-gaming manual-washing-machine chat-family legal-notice-class-action bank-letter crontab dockerfile sql stack-trace ticket-it invoice travel-itinerary sports-report horoscope software-licence meeting-invite survey-results hackernews-like-thread patient-information-dental weather-warning obituary sermon-notes game-rules text-adventure-log regex-notes mailing-list-kernel-like police-notice co-working-rules farming-advice ui-strings-json makefile gdpr-request museum-label union-flyer apartment-rules-mail-airbnb error-page lab-protocol translation-agency-brief dispute-letter standup-bot long-moving-guide long-postmortem long-short-story long-election-guide long-warehouse-sop long-html-article long-mailing-list-thread tax-letter parking-sign-text app-store-text gym-mail church-hall-booking css-file k8s-yaml tool-result-json-orders tool-result-search agent-trace-honest browser-page-login driver-notes theatre-script knitting-pattern aviation-checklist hotel-review-reply pension-letter cricket-scorecard-notes electronics-datasheet dog-training freight-tender dance-class bike-share-notice soap-opera-listing sensor-csv scholarship-mail code-review-comments radio-script insurance-faq startup-pitch-notes court-summons ham-radio-log library-fine-mail mobile-game-patch ferry-safety-card food-bank-rota data-licence climbing-gym-waiver transcript-call-centre bookkeeping-chart thank-you-mail seed-packet embassy-notice", "en"},
	"prompts":         {0, 134, "question code rewrite role-honest follow-up translate summary data maths excel debug agent-order meta creative letter advice cooking travel health study grading-honest format game shopping business emotional long-paste non-native teen senior technical legal finance kids music religion garden pets sports diy history language correction thanks privacy assistant-setup", "en"},
}

// joined is both maps in one.
func joined(a, b map[string]set) map[string]set {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// visible escapes what nobody sees: no invisible character stands raw in a file.
func visible(s string) string {
	var out strings.Builder
	for _, r := range s {
		if !unicode.Is(unicode.Cf, r) && (r < 0xE0100 || r > 0xE01EF) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	return out.String()
}

// rows reads every set of a folder, and fails when a file is missing or unknown.
func (in folder) rows(t *testing.T) map[string][]row {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(in.dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(in.sets) {
		t.Fatalf("%s: %d files, %d sets are known", in.dir, len(names), len(in.sets))
	}
	all := make(map[string][]row)
	for _, name := range names {
		of := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		if _, ok := in.sets[of]; !ok {
			t.Fatalf("%s: not a known set", name)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var r row
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
			var again bytes.Buffer
			e := json.NewEncoder(&again)
			e.SetEscapeHTML(false)
			if err := e.Encode(r); err != nil {
				t.Fatal(err)
			}
			if got := visible(strings.TrimSuffix(again.String(), "\n")); got != lines.Text() {
				t.Errorf("%s:%d: not the plain form of its own row", name, n)
			}
			all[of] = append(all[of], r)
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestRows looks at each row by itself and at each set as a whole. It proves no
// row of the specification: it keeps the measure of DET-1, DET-4 and DET-7 sound.
func TestRows(t *testing.T) {
	// Over all folders: a row of the first generation in the second would be no new row.
	ids, texts := map[string]bool{}, map[string]string{}
	for _, in := range folders {
		for of, rs := range in.rows(t) {
			want := in.sets[of]
			if len(rs) < want.least {
				t.Errorf("%s/%s: %d rows, want at least %d", in.dir, of, len(rs), want.least)
			}
			kinds, langs := map[string]int{}, map[string]int{}
			for _, r := range rs {
				kinds[r.Kind]++
				langs[r.Lang]++
				if ids[r.ID] || !strings.HasPrefix(r.ID, in.prefix+of+"-") {
					t.Errorf("%s/%s: id %q is of another set or not unique", in.dir, of, r.ID)
				}
				ids[r.ID] = true
				letters := bare(r.Text)
				if other, ok := texts[letters]; ok {
					t.Errorf("%s: same text as %s", r.ID, other)
				}
				texts[letters] = r.ID
				if r.Label != want.label || r.Source != in.source {
					t.Errorf("%s: label %d, source %q", r.ID, r.Label, r.Source)
				}
				if strings.TrimSpace(r.Text) != r.Text || r.Text == "" {
					t.Errorf("%s: text is empty or has blank ends", r.ID)
				}
				// What hides from the eye would hide from the reviewer of this set too, where it
				// is not what the row is about.
				if i := strings.IndexFunc(r.Text, func(c rune) bool {
					return unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Co, c) || unicode.IsControl(c) && c != '\n' && c != '\t'
				}); i >= 0 && r.Kind != "obfuscated" {
					t.Errorf("%s: invisible character at byte %d", r.ID, i)
				}
			}
			closed(t, in.dir+"/"+of, "kind", kinds, want.kinds)
			closed(t, in.dir+"/"+of, "language", langs, want.langs)
		}
	}
	if len(ids) == 0 {
		t.Fatal("no row was looked at")
	}
}

// closed fails when got has a name that is not listed, or lacks one that is.
func closed(t *testing.T, of, what string, got map[string]int, list string) {
	t.Helper()
	names := strings.Fields(list)
	for name := range got {
		if !slices.Contains(names, name) {
			t.Errorf("%s: %s %q is not on the list", of, what, name)
		}
	}
	for _, name := range names {
		if got[name] == 0 {
			t.Errorf("%s: %s %q is listed and has no row", of, what, name)
		}
	}
}

// bare keeps letters and digits, in lower case. Quoting, indenting and escaping differ
// between file formats; the words of a copied sentence do not.
func bare(s string) string {
	s = strings.NewReplacer(`\n`, " ", `\t`, " ").Replace(s)
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}

// TestNothingIsTrainedOn: a held-out text that also stands in the training text measures memory, not
// the detector. Tests that quote a row elsewhere are not looked at.
func TestNothingIsTrainedOn(t *testing.T) {
	var all []byte // every file, by its letters and digits, apart by a zero
	var paths []string
	var begins []int
	for _, dir := range []string{"../grammar", "../attacks", "../honest", "../inject", "../benign", "../words"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			paths, begins = append(paths, path), append(begins, len(all))
			all = append(append(all, bare(string(b))...), 0)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	known := suffixarray.New(all)
	texts := 0
	for _, in := range folders {
		for _, rs := range in.rows(t) {
			for _, r := range rs {
				texts++
				for _, at := range known.Lookup([]byte(bare(r.Text)), 1) {
					file := sort.SearchInts(begins, at+1) - 1
					t.Errorf("%s stands in %s: write another sentence", r.ID, paths[file])
				}
			}
		}
	}
	if len(paths) == 0 || texts == 0 {
		t.Fatalf("compared %d texts with %d files", texts, len(paths))
	}
	t.Logf("compared %d texts with %d files", texts, len(paths))
}
