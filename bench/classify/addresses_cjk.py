"""Addresses in Chinese, Japanese and Korean as Faker (MIT) makes them, without a label, in
sentences; and sentences with numbers behind names of places, which are none.

    python bench/classify/addresses_cjk.py > FILE.jsonl
"""
import json
import random

from faker import Faker

R = random.Random('cjk')
Faker.seed('cjk')
F = {l: Faker(l) for l in ('ja_JP', 'zh_CN', 'zh_TW', 'ko_KR')}
HIT = {
    'ja_JP': ['先月{}に引っ越しました。', '荷物は{}まで送ってください。', '{}', '住まいは{}です。', 'お届け先　{}'],
    'zh_CN': ['我住在{}，请按时送到。', '快递寄到{}。', '{}', '公司搬到了{}。', '他在{}工作'],
    'zh_TW': ['我住在{}，請按時送到。', '包裹寄到{}。', '{}', '公司搬到了{}。'],
    'ko_KR': ['지난달에 {}로 이사했습니다.', '택배는 {} 앞으로 보내 주세요.', '{}', '사무실은 {}입니다.'],
}
MISS = {
    'ja_JP': ['{c}の人口は{n}人です。', '{c}で{n}年に開催された。', '{c}まで{n}円かかる。', '東京都の区は23ある。'],
    'zh_CN': ['{c}在{n}年举办了会议。', '{c}有{n}万人口。', '从{c}出发要{n}元。', '第3省第5市第2号文件'],
    'zh_TW': ['{c}在{n}年舉辦了會議。', '{c}有{n}個區。'],
    'ko_KR': ['{c}의 인구는 {n}명이다.', '{c}에서 {n}년에 열렸다.', '{c} 버스는 {n}원이다.'],
}
for i in range(1200):
    l = R.choice(list(F))
    f = F[l]
    if i % 3:
        a = f.address().replace('\n', ' ')
        t = R.choice(HIT[l])
        at = t.index('{}')
        out = t.replace('{}', a)
        spans = [{'start': len(t[:at].encode()), 'end': len((t[:at] + a).encode()), 'type': 'LOCATION'}]
    else:
        out = R.choice(MISS[l]).format(c=f.city(), n=R.randrange(2, 3000))
        spans = []
    print(json.dumps({'id': f'{l}{i}', 'text': out, 'spans': spans, 'rule': l + ('' if spans else ' none')}, ensure_ascii=False))
