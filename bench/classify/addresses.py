"""Writes labelled postal addresses of 24 countries in sentences, signatures, forms, CSV, JSON
and letters, and sentences with numbers and capitals that are no addresses.

Usage: python addresses.py DIRECTORY
Writes address_a.jsonl, which may be worked on, and address_b.jsonl, which may not: it has other
streets, towns and texts. Nothing here was taken from the recognisers' word lists.
"""
import json, random, sys

# country: streets (half for each set), towns with their codes, layouts of street and of town line.
# S street, N house number, T town, P code, R region, C country, U unit.
WORLD = {
 'US': (['Main St', 'Maple Avenue', 'W 45th Street', 'Sunset Blvd', 'Old Mill Road', 'Peachtree Ln', 'Cedar Ridge Dr', 'Broadway', 'Martin Luther King Jr. Blvd', 'Juniper Ct', 'State Route 9', 'Quail Hollow Trail',
         'Elm Street', 'NE Alberta St', '5th Avenue', 'Lakeshore Drive', 'Wilshire Boulevard', 'Hickory Place', 'County Road 217', 'Forest Glen Way', 'S Michigan Ave', 'El Camino Real', 'Stonebrook Terrace', 'Park Circle'],
        [('Springfield', '62704', 'IL'), ('Austin', '78701', 'TX'), ('Portland', '97211', 'OR'), ('New York', '10036', 'NY'), ('St. Paul', '55101', 'MN'), ('Baton Rouge', '70802', 'LA'), ('Santa Fe', '87501-2210', 'NM'), ('Fort Wayne', '46802', 'IN')],
        ['{N} {S}', '{N} {S}, {U}', '{N} {S} {U}'], ['{T}, {R} {P}', '{T} {R} {P}', '{T}, {R}'], ['Apt 4B', 'Suite 210', 'Unit 7', '#12', 'Fl 3'], ['USA', 'United States'], (1, 9999)),
 'UK': (['High Street', 'Station Road', 'Victoria Crescent', 'The Green', 'Abbey Lane', 'Kingsway', 'Queens Gate Mews', 'Orchard Close', 'Ladbroke Grove', 'Marsh Wall',
         'Church Lane', 'Baker Street', 'Mill Hill', 'Albert Embankment', 'Rosebery Avenue', 'The Crescent', 'Moorgate', 'Kingfisher Drive', 'St. James\'s Square', 'Piccadilly'],
        [('London', 'SW1A 2AA', ''), ('Leeds', 'LS1 4DY', ''), ('Bristol', 'BS8 1TH', ''), ('Edinburgh', 'EH1 1YZ', ''), ('Stoke-on-Trent', 'ST4 2DE', ''), ('Cardiff', 'CF10 3AT', ''), ('Milton Keynes', 'MK9 3XS', ''), ('Belfast', 'BT1 5GS', '')],
        ['{N} {S}', 'Flat 3, {N} {S}', '{N}a {S}', 'Rose Cottage, {S}', '{U}, {N} {S}'], ['{T} {P}', '{T}, {P}', '{T}'], ['Unit 5', 'Flat 12', 'Apartment 9'], ['UK', 'United Kingdom', 'England'], (1, 220)),
 'DE': (['Hauptstraße', 'Lindenallee', 'Am Alten Markt', 'Goethestr.', 'Rosenweg', 'Unter den Eichen', 'Bismarckplatz', 'Kirchgasse', 'Zur Alten Mühle', 'Mariendorfer Damm',
         'Bahnhofstraße', 'Schillerstr.', 'An der Alster', 'Friedrich-Ebert-Allee', 'Gartenweg', 'Kurfürstendamm', 'Marktplatz', 'Im Winkel', 'Prager Straße', 'Holzmarktgasse'],
        [('Berlin', '10115', ''), ('München', '80331', ''), ('Köln', '50667', ''), ('Frankfurt am Main', '60311', ''), ('Freiburg im Breisgau', '79098', ''), ('Görlitz', '02826', ''), ('Bad Homburg', '61348', ''), ('Kiel', '24103', '')],
        ['{S} {N}', '{S} {N}a', '{S} {N}-17'], ['{P} {T}', 'D-{P} {T}', '{T}'], [], ['Deutschland', 'Germany'], (1, 190)),
 'FR': (['rue de la Paix', 'avenue Victor Hugo', 'boulevard Saint-Michel', 'place de la République', 'chemin des Vignes', 'impasse du Moulin', 'quai des Célestins', 'allée des Tilleuls', 'rue du Faubourg Saint-Antoine', 'route de Lyon',
         'rue des Lilas', 'avenue Jean Jaurès', 'boulevard Voltaire', 'place Bellecour', 'chemin de la Source', 'square Montholon', 'cours Lafayette', 'rue du 8 mai 1945', 'sentier des Dunes', 'rue Nationale'],
        [('Paris', '75002', ''), ('Lyon', '69003', ''), ('Marseille', '13006', ''), ('Aix-en-Provence', '13100', ''), ('Saint-Étienne', '42000', ''), ('Le Havre', '76600', ''), ('Nantes', '44000', ''), ('La Rochelle', '17000', '')],
        ['{N} {S}', '{N}, {S}', '{N} bis {S}', '{N} ter, {S}', '{N} {S}, {U}'], ['{P} {T}', 'F-{P} {T}', '{T}'], ['bâtiment B', 'appt 12', '3e étage'], ['France'], (1, 180)),
 'ES': (['Calle Mayor', 'C/ Alcalá', 'Avenida de la Constitución', 'Plaza de España', 'Paseo de Gracia', 'Calle del Carmen', 'Ronda de Atocha', 'Camino de los Olivos', 'Gran Vía', 'Travesía de la Luna',
         'Calle San Fernando', 'C/ Serrano', 'Avda. Diagonal', 'Plaza Nueva', 'Paseo Marítimo', 'Carrer de Balmes', 'Carretera de Cádiz', 'Calle de los Reyes', 'Rambla Catalunya', 'Cuesta del Rosario'],
        [('Madrid', '28013', ''), ('Barcelona', '08008', ''), ('Sevilla', '41001', ''), ('San Sebastián', '20003', ''), ('Las Palmas', '35001', ''), ('Alcalá de Henares', '28801', ''), ('Bilbao', '48009', ''), ('Vigo', '36202', '')],
        ['{S}, {N}', '{S} {N}', '{S} nº {N}', '{S}, {N}, {U}', '{S} {N}, {U}'], ['{P} {T}', '{T} {P}', '{T}'], ['3º B', '2º izda.', 'piso 4', 'bajo'], ['España', 'Spain'], (1, 260)),
 'IT': (['Via Roma', 'Corso Garibaldi', 'Piazza del Duomo', 'Viale dei Mille', 'Via XX Settembre', 'Largo Augusto', 'Vicolo Stretto', 'Via della Spiga', 'Strada Statale 16', 'Lungotevere Mellini',
         'Via Dante Alighieri', 'Corso Vittorio Emanuele II', 'Piazza San Marco', 'Viale Europa', 'Via dei Condotti', 'Salita al Castello', 'Via G. Verdi', 'Contrada Santa Lucia', 'Borgo Pinti', 'Via Nazionale'],
        [('Roma', '00184', 'RM'), ('Milano', '20121', 'MI'), ('Torino', '10121', 'TO'), ('Reggio Emilia', '42121', 'RE'), ('Napoli', '80133', 'NA'), ('La Spezia', '19121', 'SP'), ('Bari', '70122', 'BA'), ('Trento', '38122', 'TN')],
        ['{S} {N}', '{S}, {N}', '{S} n. {N}', '{S} {N}/A', '{S} {N}, {U}'], ['{P} {T} ({R})', '{P} {T}', '{T}'], ['interno 5', 'scala B', 'int. 12'], ['Italia', 'Italy'], (1, 210)),
 'NL': (['Kerkstraat', 'Prinsengracht', 'Dorpsweg', 'Lange Voorhout', 'Burgemeester de Vlugtlaan', 'Plein 1944', 'Oude Delft', 'Molenpad', 'Westersingel', 'Hoogstraat',
         'Herengracht', 'Stationsplein', 'Julianalaan', 'Nieuwe Markt', 'Achterweg', 'Van Baerlestraat', 'Rozendaal', 'Coolsingel', 'Damrak', 'Groene Hilledijk'],
        [('Amsterdam', '1017 GN', ''), ('Rotterdam', '3011AB', ''), ('Utrecht', '3512 JE', ''), ("'s-Hertogenbosch", '5211 RN', ''), ('Den Haag', '2514 EA', ''), ('Bergen op Zoom', '4611 CD', ''), ('Zwolle', '8011 PK', ''), ('Leiden', '2312 AV', '')],
        ['{S} {N}', '{S} {N}a', '{S} {N}-II', '{S} {N} hs'], ['{P} {T}', '{T}'], [], ['Nederland', 'Netherlands'], (1, 400)),
 'BE': (['Rue Royale', 'Kerkstraat', 'Avenue Louise', 'Meir', 'Chaussée de Waterloo', 'Grote Markt', 'Place Flagey', 'Steenweg op Gent', 'Rue du Midi', 'Veldstraat',
         'Rue de la Loi', 'Bondgenotenlaan', 'Boulevard Anspach', 'Naamsestraat', 'Drève du Prieuré', 'Lange Nieuwstraat', 'Rue Haute', 'Korenmarkt', 'Clos des Pinsons', 'Koningsplein'],
        [('Bruxelles', '1000', ''), ('Antwerpen', '2000', ''), ('Gent', '9000', ''), ('Liège', '4000', ''), ('Leuven', '3000', ''), ('Namur', '5000', ''), ('Louvain-la-Neuve', '1348', ''), ('Brugge', '8000', '')],
        ['{S} {N}', '{S}, {N}', '{S} {N} bte 4', '{S} {N} bus 2'], ['{P} {T}', 'B-{P} {T}', '{T}'], [], ['Belgique', 'België', 'Belgium'], (1, 300)),
 'PL': (['ul. Marszałkowska', 'al. Jerozolimskie', 'ul. Długa', 'os. Słoneczne', 'pl. Wolności', 'ul. 3 Maja', 'ul. Jana Pawła II', 'ulica Kwiatowa', 'ul. Św. Marcin', 'al. Niepodległości',
         'ul. Piotrkowska', 'ul. Nowy Świat', 'al. Solidarności', 'ul. Polna', 'pl. Konstytucji', 'os. Piastów', 'ul. Kościuszki', 'ul. 11 Listopada', 'aleja Krakowska', 'ul. Szewska'],
        [('Warszawa', '00-624', ''), ('Kraków', '31-147', ''), ('Łódź', '90-001', ''), ('Gdańsk', '80-831', ''), ('Bielsko-Biała', '43-300', ''), ('Nowy Sącz', '33-300', ''), ('Poznań', '61-801', ''), ('Wrocław', '50-106', '')],
        ['{S} {N}', '{S} {N}/12', '{S} {N} m. 5', '{S} {N}A'], ['{P} {T}', '{T}'], [], ['Polska', 'Poland'], (1, 200)),
 'SE': (['Storgatan', 'Kungsgatan', 'Vasavägen', 'Södra Esplanaden', 'Björkstigen', 'Lilla Torg', 'Drottninggatan', 'Skolgränd', 'Sveavägen', 'Hamnplan',
         'Götgatan', 'Linnégatan', 'Östra Ringvägen', 'Norra Strandgatan', 'Tallbacken', 'Stortorget', 'Birger Jarlsgatan', 'Ekorrvägen', 'Fiskaregränd', 'Strandpromenaden'],
        [('Stockholm', '111 22', ''), ('Göteborg', '411 03', ''), ('Malmö', '211 34', ''), ('Uppsala', '753 10', ''), ('Umeå', '903 26', ''), ('Västra Frölunda', '426 71', ''), ('Lund', '222 21', ''), ('Örebro', '702 11', '')],
        ['{S} {N}', '{S} {N} B', '{S} {N}, 3 tr', '{S} {N} lgh 1102'], ['{P} {T}', 'SE-{P} {T}', '{T}'], [], ['Sverige', 'Sweden'], (1, 150)),
 'CH': (['Bahnhofstrasse', 'Rue du Rhône', 'Via Nassa', 'Dorfstrasse', 'Chemin de la Colline', 'Seefeldquai', 'Untere Gasse', 'Limmatstrasse', 'Avenue de la Gare', 'Mühleweg',
         'Langstrasse', 'Rue de Lausanne', 'Piazza Grande', 'Hauptstrasse', 'Route de Chêne', 'Marktgasse', 'Rämistrasse', 'Quai du Mont-Blanc', 'Bergweg', 'Kirchrain'],
        [('Zürich', '8001', ''), ('Genève', '1204', ''), ('Basel', '4051', ''), ('Lugano', '6900', ''), ('St. Gallen', '9000', ''), ('La Chaux-de-Fonds', '2300', ''), ('Bern', '3011', ''), ('Luzern', '6003', '')],
        ['{S} {N}', '{S} {N}a'], ['{P} {T}', 'CH-{P} {T}', '{T}'], [], ['Schweiz', 'Suisse', 'Switzerland'], (1, 180)),
 'AT': (['Mariahilfer Straße', 'Kärntner Ring', 'Landstraßer Hauptstraße', 'Getreidegasse', 'Am Graben', 'Wiedner Gürtel', 'Schlossallee', 'Linzer Gasse', 'Hauptplatz', 'Neubaugasse',
         'Praterstraße', 'Herrengasse', 'Opernring', 'Maria-Theresien-Straße', 'Stephansplatz', 'Kaigasse', 'Am Heumarkt', 'Grazbachgasse', 'Bergstraße', 'Leopoldauer Weg'],
        [('Wien', '1060', ''), ('Salzburg', '5020', ''), ('Graz', '8010', ''), ('Linz', '4020', ''), ('Innsbruck', '6020', ''), ('Wiener Neustadt', '2700', ''), ('Klagenfurt', '9020', ''), ('St. Pölten', '3100', '')],
        ['{S} {N}', '{S} {N}/3/12', '{S} {N}, Top 8', '{S} {N}/2'], ['{P} {T}', 'A-{P} {T}', '{T}'], [], ['Österreich', 'Austria'], (1, 150)),
 'PT': (['Rua Augusta', 'Avenida da Liberdade', 'Praça do Comércio', 'Travessa do Carmo', 'Rua de Santa Catarina', 'Largo do Chiado', 'Estrada da Luz', 'Rua 25 de Abril', 'Av. Almirante Reis', 'Alameda dos Oceanos',
         'Rua do Ouro', 'Avenida dos Aliados', 'Praça da Alegria', 'Beco do Espírito Santo', 'Rua Garrett', 'Calçada do Combro', 'R. Miguel Bombarda', 'Av. 5 de Outubro', 'Rua das Flores', 'Rotunda da Boavista'],
        [('Lisboa', '1100-053', ''), ('Porto', '4000-442', ''), ('Coimbra', '3000-150', ''), ('Vila Nova de Gaia', '4400-086', ''), ('Faro', '8000-138', ''), ('Braga', '4700-035', ''), ('Setúbal', '2900-001', ''), ('Évora', '7000-508', '')],
        ['{S}, {N}', '{S} {N}', '{S}, nº {N}', '{S} {N}, {U}'], ['{P} {T}', '{T}'], ['2º Esq.', '3º Dto', 'r/c'], ['Portugal'], (1, 250)),
 'BR': (['Rua das Palmeiras', 'Avenida Paulista', 'Rua XV de Novembro', 'Travessa São José', 'Alameda Santos', 'Praça da Sé', 'Rodovia BR-101', 'Rua Barão do Rio Branco', 'Av. Brasil', 'Largo do Machado',
         'Rua Augusta', 'Avenida Atlântica', 'Rua Sete de Setembro', 'Estrada do Coco', 'Alameda Campinas', 'Av. Getúlio Vargas', 'Rua Dom Pedro II', 'R. dos Andradas', 'Quadra 12', 'Ladeira da Barra'],
        [('São Paulo', '01310-100', 'SP'), ('Rio de Janeiro', '22021-001', 'RJ'), ('Belo Horizonte', '30130-009', 'MG'), ('Curitiba', '80020-310', 'PR'), ('Salvador', '40140-110', 'BA'), ('Recife', '50030-230', 'PE'), ('Porto Alegre', '90020-008', 'RS'), ('Foz do Iguaçu', '85851-000', 'PR')],
        ['{S}, {N}', '{S}, nº {N}', '{S} {N}', '{S}, {N} - {U}', '{S}, {N}, {U}'], ['{T} - {R}, {P}', '{T}/{R}', '{T} - {R}', 'CEP {P}', '{T}'], ['apto 101', 'Centro', 'Bela Vista', 'casa 2', 'bloco B'], ['Brasil', 'Brazil'], (10, 3000)),
 'MX': (['Av. Insurgentes Sur', 'Calle Benito Juárez', 'Paseo de la Reforma', 'Blvd. Manuel Ávila Camacho', 'Calle 60', 'Privada de los Pinos', 'Av. Revolución', 'Calzada de Tlalpan', 'Calle Hidalgo', 'Cerrada del Bosque',
         'Av. Universidad', 'Calle Morelos', 'Eje Central Lázaro Cárdenas', 'Boulevard Kukulcán', 'Calle 5 de Mayo', 'Andador Las Rosas', 'Av. Vallarta', 'Calle Allende', 'Circuito Interior', 'Prolongación Zaragoza'],
        [('Ciudad de México', '03100', 'CDMX'), ('Guadalajara', '44100', 'Jal.'), ('Monterrey', '64000', 'N.L.'), ('Mérida', '97000', 'Yuc.'), ('Puebla', '72000', 'Pue.'), ('San Luis Potosí', '78000', 'S.L.P.'), ('Tijuana', '22000', 'B.C.'), ('Oaxaca', '68000', 'Oax.')],
        ['{S} {N}', '{S} #{N}', '{S} No. {N}', '{S} {N}, {U}', '{S} {N} {U}'], ['{P} {T}, {R}', 'C.P. {P}, {T}, {R}', '{T}, {R}', '{T}'], ['Col. Roma Norte', 'Int. 4', 'Col. Centro', 'Depto. 302'], ['México', 'Mexico'], (1, 1900)),
 'AU': (['George Street', 'Collins St', 'Pacific Highway', 'Jacaranda Avenue', 'Wattle Grove', 'Esplanade', 'Flinders Lane', 'Banksia Court', 'Old Northern Rd', 'Harbour Parade',
         'Elizabeth St', 'Bourke Street', 'Great Ocean Road', 'Kookaburra Close', 'The Boulevarde', 'Hay St', 'Brunswick Rd', 'Marine Parade', 'Swan Terrace', 'Ridge Crescent'],
        [('Sydney', '2000', 'NSW'), ('Melbourne', '3000', 'VIC'), ('Brisbane', '4000', 'QLD'), ('Perth', '6000', 'WA'), ('Surry Hills', '2010', 'NSW'), ('Hobart', '7000', 'TAS'), ('Alice Springs', '0870', 'NT'), ('Wagga Wagga', '2650', 'NSW')],
        ['{N} {S}', '{U}, {N} {S}', '4/{N} {S}', '{U}/{N} {S}'], ['{T} {R} {P}', '{T}, {R} {P}', '{T}'], ['Unit 3', 'Level 8', 'Shop 2'], ['Australia'], (1, 700)),
 'CA': (['Yonge Street', 'Rue Sainte-Catherine Ouest', 'Granville St', '104 Avenue NW', 'Bloor St W', 'chemin de la Côte-des-Neiges', 'Spadina Ave', 'Portage Avenue', 'Robson Street', 'Rang Saint-Joseph',
         'King St E', 'boulevard René-Lévesque', 'Jasper Avenue', '17th Ave SW', 'Dundas Street West', 'rue Saint-Denis', 'Barrington Street', 'Rideau St', 'Lakeshore Road', 'Commercial Drive'],
        [('Toronto', 'M5V 2T6', 'ON'), ('Montréal', 'H3B 1A7', 'QC'), ('Vancouver', 'V6B 4N7', 'BC'), ('Edmonton', 'T5J 0K7', 'AB'), ('Halifax', 'B3H 4R2', 'NS'), ('Winnipeg', 'R3C0V8', 'MB'), ("St. John's", 'A1C 5M3', 'NL'), ('Ottawa', 'K1P 5G3', 'ON')],
        ['{N} {S}', '{U}-{N} {S}', '{N} {S}, {U}', '{N} {S}, app. 6'], ['{T}, {R} {P}', '{T} {R}  {P}', '{T}, {R}', '{T} ({R}) {P}'], ['Unit 12', 'Suite 1400', '#305'], ['Canada'], (10, 9900)),
 'IN': (['MG Road', 'Linking Road', 'Nehru Nagar', '2nd Main, 5th Cross', 'Park Street', 'Gandhi Marg', 'Anna Salai', 'Lajpat Nagar II', 'Hill Road', 'Sarojini Devi Road',
         'Brigade Road', 'Ashok Marg', 'Shivaji Nagar', '4th Cross, HSR Layout', 'Sector 62', 'Carter Road', 'Salt Lake Sector V', 'Connaught Place', 'Mount Road', 'Jubilee Hills'],
        [('Bengaluru', '560001', 'Karnataka'), ('Mumbai', '400050', 'Maharashtra'), ('New Delhi', '110024', ''), ('Kolkata', '700091', 'WB'), ('Chennai', '600002', 'Tamil Nadu'), ('Hyderabad', '500033', 'Telangana'), ('Pune', '411005', 'MH'), ('Noida', '201309', 'UP')],
        ['{N}, {S}', '{U}, {S}', 'No. {N}, {S}', '#{N}, {S}', '{U}, {N}, {S}', 'H.No. {N}, {S}'], ['{T} - {P}', '{T} {P}', '{T}, {R} {P}', '{T}, {R} - {P}', '{T}'], ['Flat 302, Sai Residency', 'Plot No 14', 'B-12', '2nd Floor, Krishna Towers', 'Flat No. 5'], ['India'], (1, 900)),
 'JP': (['1-2-3 Shibuya', '4-15 Ginza', '2-11-3 Meguro', '3-chome-5-1 Umeda', '1-1 Chiyoda', '5-6-7 Nakano', '2-3 Marunouchi', '6-10-1 Roppongi',
         '8-4-14 Akasaka', '1-7-2 Otemachi', '2-4-1 Nishi-Shinjuku', '3-12 Sannomiya-cho', '1-chome 9-8 Honmachi', '4-2-8 Shibakoen', '2-5 Kita', '7-1-1 Ueno'],
        [('Shibuya-ku, Tokyo', '150-0002', ''), ('Chuo-ku, Tokyo', '104-0061', ''), ('Kita-ku, Osaka', '530-0001', ''), ('Minato-ku, Tokyo', '106-0032', ''), ('Naka-ku, Nagoya', '460-0008', ''), ('Kobe-shi, Hyogo', '650-0021', ''), ('Sapporo, Hokkaido', '060-0001', ''), ('Yokohama, Kanagawa', '220-0012', '')],
        ['{S}', '{U}, {S}'], ['{T} {P}', '{T}, {P}', '{T}'], ['Sakura Mansion 301', 'Green Heights #204'], ['Japan'], (1, 2)),
 'TR': (['Atatürk Caddesi', 'İstiklal Cad.', 'Bağdat Caddesi', 'Gül Sokak', 'Cumhuriyet Mah. Lale Sk.', 'Barbaros Bulvarı', '1453. Sokak', 'İnönü Cd.',
         'Cumhuriyet Caddesi', 'Papatya Sk.', 'Fevzi Çakmak Mah. Çınar Sok.', 'Mithatpaşa Cad.', 'Kordon Boyu', 'Adnan Menderes Bulvarı', 'Zafer Sokağı', 'Merkez Mahallesi Okul Cad.'],
        [('Kadıköy/İstanbul', '34710', ''), ('Beyoğlu/İstanbul', '34433', ''), ('Çankaya/Ankara', '06420', ''), ('Konak/İzmir', '35250', ''), ('Nilüfer/Bursa', '16110', ''), ('Muratpaşa/Antalya', '07100', '')],
        ['{S} No: {N}', '{S} No:{N}/5', '{S} No: {N} D: 4', '{S} {N}', '{S} No: {N} Daire: 7'], ['{P} {T}', '{T}'], [], ['Türkiye', 'Turkey'], (1, 300)),
 'DK': (['Vesterbrogade', 'Nørre Allé', 'Strandvejen', 'Store Torv', 'Åboulevarden', 'Enghave Plads', 'Skovvej', 'Kongens Nytorv'], [('København V', '1620', ''), ('Aarhus C', '8000', ''), ('Odense', '5000', ''), ('Hellerup', '2900', '')],
        ['{S} {N}', '{S} {N}, 2. tv', '{S} {N}B, st. th.'], ['{P} {T}', 'DK-{P} {T}', '{T}'], [], ['Danmark', 'Denmark'], (1, 200)),
 'NO': (['Karl Johans gate', 'Storgata', 'Kirkeveien', 'Bryggen', 'Munkedamsveien', 'Torggata', 'Nygårdsgaten', 'Elveplassen'], [('Oslo', '0154', ''), ('Bergen', '5003', ''), ('Trondheim', '7011', ''), ('Tromsø', '9008', '')],
        ['{S} {N}', '{S} {N} B'], ['{P} {T}', 'NO-{P} {T}', '{T}'], [], ['Norge', 'Norway'], (1, 120)),
 'FI': (['Mannerheimintie', 'Hämeenkatu', 'Runeberginkatu', 'Rantapolku', 'Aleksanterinkatu', 'Koulukuja', 'Puistotie', 'Kauppatori'], [('Helsinki', '00100', ''), ('Tampere', '33100', ''), ('Turku', '20100', ''), ('Oulu', '90100', '')],
        ['{S} {N}', '{S} {N} A 12', '{S} {N} B 4'], ['{P} {T}', 'FI-{P} {T}', '{T}'], [], ['Suomi', 'Finland'], (1, 120)),
 'IE': (['Grafton Street', 'Baggot Street Lower', 'Seafield Road', 'The Coombe', "O'Connell Street", 'Dame Lane', 'Eyre Square', 'Ormond Quay'], [('Dublin 2', 'D02 X285', ''), ('Cork', 'T12 W8KP', ''), ('Galway', 'H91 E2K3', ''), ('Limerick', 'V94 T28R', '')],
        ['{N} {S}', 'Apt 5, {N} {S}'], ['{T} {P}', '{T}, {P}', '{T}'], [], ['Ireland'], (1, 120)),
}
LANG = {'US': 'en', 'UK': 'en', 'AU': 'en', 'CA': 'en', 'IN': 'en', 'IE': 'en', 'JP': 'en', 'DE': 'de', 'AT': 'de', 'CH': 'de', 'FR': 'fr', 'ES': 'es', 'MX': 'es', 'IT': 'it', 'NL': 'nl', 'BE': 'fr',
        'PL': 'pl', 'SE': 'sv', 'PT': 'pt', 'BR': 'pt', 'TR': 'tr', 'DK': 'da', 'NO': 'no', 'FI': 'fi'}
PEOPLE = ['Maria Lopez', 'Tom Baker', 'Ingrid Nilsson', 'Rahul Mehta', 'Anne Keller', 'Paul Dubois', 'Marta Nowak', 'Joe Rossi', 'Elif Demir', 'Kenji Sato', 'Sarah O’Neill', 'Jan de Boer']
# {A} on one line, {B} on several lines, {X} street line alone. Two sets of texts.
TEXTS = {
 'en': (["I live at {A}.", "Please ship it to {A} before Friday.", "Our office is at {A}, come by any time.", "We moved from {A} to {A} last spring.", "{W}\n{B}\n", "Address: {A}", "Billing address:\n{W}\n{B}\n\nThank you.", "The courier left the parcel at {X}, nobody was home.", "{W}, {A}, wants a refund", "Regards,\n{W}\nAcme Ltd\n{B}\nwww.example.com", "Delivery to: {A} (ring twice)", "name;address;status\n{W};{A};open\n", '{{"name": "{W}", "address": "{A}", "active": true}}', "The house at {X} burned down in 2019.", "my addres is {A} pls update it"],
        ["She was last seen near {X} on Tuesday.", "Can you send the replacement key to {A}? The old one broke.", "Home: {A}\nWork: {A}\n", "To whom it may concern,\n\nI, {W}, residing at {A}, authorise the transfer.", "{W} {A}", "The flat at {A} is rented out.", "Ship To\n{W}\n{B}\nAttn: receiving", "id,customer,shipping_address,total\n17,{W},\"{A}\",99.00\n", '{{"customer":{{"full_name":"{W}","shipping_address":"{A}"}},"qty":2}}', '{{"street":"{X}","note":"leave at door"}}', "venue = {A}", "Pick up at {X} at 9 am, two bags.", "- {A}\n- {A}\n", "Hello, this is {W}. I have moved, my new address is {A}. Thanks!", "--\n{W} | {A} | tel on request"]),
 'de': (["Ich wohne in der {X}.", "Bitte liefern Sie an: {A}", "{W}\n{B}\n", "Rechnungsadresse: {A}", "Wir sind umgezogen, neue Anschrift: {A}.", "Mit freundlichen Grüßen\n{W}\n{B}\nTel. auf Anfrage"],
        ["Das Paket ging an {A}, kam aber zurück.", "Wohnhaft: {A}", "Herrn\n{W}\n{B}", "Kunde {W}, {A}, hat reklamiert.", '{{"anschrift": "{A}"}}', "Treffpunkt ist {X} um neun Uhr."]),
 'fr': (["J'habite au {A}.", "Adresse de livraison : {A}", "{W}\n{B}\n", "Le colis est resté au {X}.", "Merci d'envoyer le tout à {W}, {A}."],
        ["Veuillez noter ma nouvelle adresse : {A}.", "Je soussigné {W}, demeurant {A}, certifie", "Cordialement,\n{W}\n{B}", '{{"adresse":"{A}"}}', "Rendez-vous {X} à midi."]),
 'es': (["Vivo en {A}.", "Dirección de envío: {A}", "{W}\n{B}\n", "El paquete se quedó en {X}.", "Enviar a {W}, {A}, antes del lunes."],
        ["Mi nuevo domicilio es {A}.", "D. {W}, con domicilio en {A}, solicita", "Saludos,\n{W}\n{B}", '{{"direccion":"{A}"}}', "Nos vemos en {X} a las diez."]),
 'it': (["Abito in {A}.", "Indirizzo di spedizione: {A}", "{W}\n{B}\n", "Il pacco è rimasto in {X}."],
        ["Il mio nuovo indirizzo è {A}.", "{W}, residente in {A}, dichiara", "Cordiali saluti\n{W}\n{B}", "Ci vediamo in {X} alle dieci."]),
 'nl': (["Ik woon op {A}.", "Bezorgadres: {A}", "{W}\n{B}\n", "Het pakket ligt nog bij {X}."], ["Mijn nieuwe adres is {A}.", "Graag leveren aan {W}, {A}.", "Groeten,\n{W}\n{B}", "We spreken af bij {X}."]),
 'pl': (["Mieszkam przy {A}.", "Adres dostawy: {A}", "{W}\n{B}\n"], ["Mój nowy adres to {A}.", "Proszę wysłać do {W}, {A}.", "Pozdrawiam\n{W}\n{B}", "Spotkajmy się przy {X}."]),
 'sv': (["Jag bor på {A}.", "Leveransadress: {A}", "{W}\n{B}\n"], ["Min nya adress är {A}.", "Skicka till {W}, {A}.", "Hälsningar\n{W}\n{B}", "Vi ses vid {X}."]),
 'pt': (["Moro na {A}.", "Endereço de entrega: {A}", "{W}\n{B}\n", "A encomenda ficou na {X}."], ["O meu novo endereço é {A}.", "{W}, residente em {A}, declara", "Atenciosamente,\n{W}\n{B}", "Encontro na {X} às dez."]),
 'tr': (["Adresim {A}.", "Teslimat adresi: {A}", "{W}\n{B}\n"], ["Yeni adresim: {A}", "{W}, {A} adresinde oturuyor.", "Saygılarımla\n{W}\n{B}"]),
 'da': (["Jeg bor på {A}.", "Leveringsadresse: {A}"], ["Min nye adresse er {A}.", "Hilsen\n{W}\n{B}"]),
 'no': (["Jeg bor i {A}.", "Leveringsadresse: {A}"], ["Min nye adresse er {A}.", "Hilsen\n{W}\n{B}"]),
 'fi': (["Asun osoitteessa {A}.", "Toimitusosoite: {A}"], ["Uusi osoitteeni on {A}.", "Terveisin\n{W}\n{B}"]),
}
# No addresses. {n} a number, {W} a person.
NONE = (["In {n} Main Street lending rose again.", "We watched 12 Angry Men on Broadway musicals night.", "Chapter {n} Road to Serfdom", "Release {n} Way Forward, by {W}", "{n} Park rangers were hired.", "Section {n}, Table 4, Figure 2", "He scored {n} points against St. Louis.", "Windows 11 Drive encryption is on", "Flight LH {n} Gate B12 boarding", "Room 12, Building C, ground floor", "Level 5 Drive System, part no. {n}", "Order {n} Place your bets", "On 12 May Avenue Q opens again.", "{n} Court cases were closed", "Version 3.2 Lane Assist improvements", "Via email 12 people answered", "Rue the day 12 times", "Der Weg 3 ist gesperrt", "El Paseo 2024 fue un éxito", "{W} ran 10 miles, {n} laps", "SELECT * FROM street WHERE no = {n}", "Line {n}: Square brackets expected", "Platz 3 ging an {W}", "Band 12, Seite 45", "Paragraph 5 Absatz 2 Satz 1", "ISO 9001 Way of working", "Step 3 Drive to the station", "He has 3 Way calling", "Team 4 Close to victory", "PR #{n} Terrace theme merged into main"],
        ["{n} Hill climbers met", "Top 10 Beach Boulevard songs", "See page {n}, Park Guidelines", "The 2019 Drive campaign", "Article 12 Place of performance", "Highway 61 Revisited is an album", "Abbey Road 1969 remaster", "Sesame Street 50 years", "Wall Street fell {n} points", "Downing Street said on 12 March", "Q{n} Road map for 2025", "{n} Lane closures reported", "Grade 7 Grove school trip", "Task {n} Close the ticket", "Rua 24 horas sem luz", "Piazza 5 stelle", "Straße 21 Kilometer lang gesperrt", "Version 4 Garden edition", "Gate 7 Parade starts at 10", "Bed 4, Ward 12, Dr {W}", "Apollo 13 Landing cancelled", "Terminal 2 Drive-through", "Boeing 747 Crescent livery", "{n} Circle members, {n} guests", "Model 3 Court ruling", "Catch 22 Mews edition", "iPhone 15 Close up", "Studio 54 Square dance", "unit 3 lesson 4 exercise {n}", "Plan B, 5 Ways to Save"])

def address(cc, side):
    streets, towns, lines, places, units, lands, (lo, hi) = WORLD[cc]
    half, th = len(streets) // 2, len(towns) // 2
    s = random.choice(streets[:half] if side == 0 else streets[half:])
    t, p, r = random.choice(towns[:th] if side == 0 else towns[th:])
    if p.isdigit() and len(p) >= 4 and random.random() < .7:
        p = p[:-2] + '%02d' % random.randint(0, 99)
    n = str(random.randint(lo, random.choice([hi, min(hi, 99)])))
    street = random.choice(lines).format(S=s, N=n, U=random.choice(units or ['']))
    place = random.choice(places).format(T=t, P=p, R=r).replace(' ,', ',')
    if not r: place = place.replace(',  -', ' -').replace(', -', ' -').replace(',  ', ' ').replace(', ' + p, ' ' + p) if cc == 'IN' else place
    land = random.choice(lands)
    x = random.random()
    parts = [street, place] + ([land] if x < .15 else [])
    one = ', '.join(parts) if random.random() < .9 else ' '.join(parts)
    if random.random() < .06: one = one.lower()
    elif random.random() < .04: one = one.upper()
    return one, '\n'.join(parts), street

def write(path, side, seed):
    random.seed(seed)
    out = open(path, 'w')
    n = 0
    for _ in range(6):
        for cc in WORLD:
            for t in TEXTS[LANG[cc]][side] if LANG[cc] == 'en' or random.random() < .2 else TEXTS[LANG[cc]][side] + TEXTS['en'][side][:4]:
                text, spans, w = '', [], random.choice(PEOPLE)
                t = t.replace('{{', '\x01').replace('}}', '\x02')
                while '{' in t:
                    i = t.index('{')
                    k, text, t = t[i + 1], text + t[:i], t[i + 3:]
                    if k == 'W':
                        text += w
                        continue
                    a = address(cc, side)['ABX'.index(k)]
                    start = len(text.replace('\x01', '{').encode())
                    spans.append({'start': start, 'end': start + len(a.encode()), 'type': 'LOCATION', 'value': a})
                    text += a
                text = (text + t).replace('\x01', '{').replace('\x02', '}')
                n += 1
                out.write(json.dumps({'id': f'ad-{n}', 'text': text, 'spans': spans, 'rule': cc}, ensure_ascii=False) + '\n')
    for _ in range(8):
        for t in NONE[side]:
            n += 1
            out.write(json.dumps({'id': f'ad-{n}', 'text': t.format(n=random.randint(2, 4000), W=random.choice(PEOPLE)), 'spans': [], 'rule': 'none'}, ensure_ascii=False) + '\n')

write(sys.argv[1] + '/address_a.jsonl', 0, 11)
write(sys.argv[1] + '/address_b.jsonl', 1, 12)
