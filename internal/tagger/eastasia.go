package tagger

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names in Chinese, Japanese and Korean have no capitals and no blanks around them. An
// honorific says where one ends, a list of surnames where it may begin.

const (
	surnamesHan = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔汤" +
		"張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧葉蘇呂盧鍾譚陸賈韋鄒龍賀顧龔錢嚴湯"
	surnamesKorean = "김이박최정강조윤장임한오서신권황안송류유홍전고문손양배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)

var (
	honorificsChinese  = []string{"先生", "女士", "小姐", "太太", "老师", "老師", "教授", "医生", "醫生", "经理", "經理", "主任", "律师", "律師", "总监", "同学", "同學"}
	honorificsJapanese = []string{"さん", "様", "さま", "くん", "ちゃん", "氏", "殿"}
	honorificsKorean   = []string{"씨", "님", "과장", "대리", "부장", "사장", "교수", "팀장", "차장", "선생", "박사", "의원", "기자", "군", "양"}
	// words in which the honorific is no honorific
	noJapanese = []string{"皆", "客", "奥", "神", "王", "同", "両", "彼", "息子", "娘", "母", "父", "兄", "姉", "弟", "妹", "各", "貴", "仏", "模", "仕", "同", "一", "何", "有", "異", "多", "摂", "華"}
	noKorean   = []string{"고객", "선생", "손", "하나", "부모", "주인", "사장", "부장", "과장", "대리", "교수", "팀장", "차장", "박사", "회원", "이용자", "여러분", "어머", "아버", "형", "누", "기사", "원장", "강사", "공주", "도련", "마", "주", "신"}
)

// eastAsian finds names before honorifics in a token without case. next is what follows
// the token.
func eastAsian(out []Span, word, next string, at int) []Span {
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRuneInString(word[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			if size := honorific(word[i:], honorificsChinese); size > 0 {
				if from := back(word[:i], 3, unicode.Han); from >= 0 {
					for k := from; k < i; { // the longest part that begins with a surname
						s, m := utf8.DecodeRuneInString(word[k:])
						if strings.ContainsRune(surnamesHan, s) {
							out = append(out, Span{Start: at + k, End: at + i, Score: 0.9})
							break
						}
						k += m
					}
				}
				n = size
			}
			fallthrough
		case unicode.Is(unicode.Hiragana, r):
			if size := honorific(word[i:], honorificsJapanese); size > 0 {
				for _, script := range []*unicode.RangeTable{unicode.Han, unicode.Katakana} {
					limit := 4
					if script == unicode.Katakana {
						limit = 10
					}
					from := back(word[:i], limit, script)
					if from < 0 || utf8.RuneCountInString(word[from:i]) < 2 || ends(word[:i], noJapanese) || before(word[:from], script) {
						continue
					}
					out = append(out, Span{Start: at + from, End: at + i, Score: 0.85})
				}
				n = max(n, size)
			}
		case unicode.Is(unicode.Hangul, r) && i == 0 && strings.ContainsRune(surnamesKorean, r):
			runes := utf8.RuneCountInString(word)
			for _, h := range honorificsKorean {
				switch {
				case strings.HasSuffix(word, h) && runes-utf8.RuneCountInString(h) == 3 && !ends(word[:len(word)-len(h)], noKorean):
					return append(out, Span{Start: at, End: at + len(word) - len(h), Score: 0.85})
				case (runes == 3 || runes == 2) && strings.HasPrefix(next, " "+h) && !ends(word, noKorean):
					return append(out, Span{Start: at, End: at + len(word), Score: 0.9})
				}
			}
		}
		i += n
	}
	return out
}

// honored reports whether eastAsian can find anything in a word: most words have no
// character that it looks for.
func (d *block) honored(word []byte) bool {
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRune(word[i:])
		if k := d.kind(r); k&honors != 0 || i == 0 && k&hangul != 0 {
			return true
		}
		i += n
	}
	return false
}

func honorific(s string, list []string) int {
	for _, h := range list {
		if strings.HasPrefix(s, h) {
			return len(h)
		}
	}
	return 0
}

func ends(s string, list []string) bool {
	for _, h := range list {
		if strings.HasSuffix(s, h) {
			return true
		}
	}
	return false
}

// back gives where up to limit letters of a script before the end of s begin; -1: there
// are none.
func back(s string, limit int, script *unicode.RangeTable) int {
	at := -1
	for i := len(s); i > 0 && limit > 0; limit-- {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.Is(script, r) && !(script == unicode.Katakana && r == 'ー') {
			break
		}
		i -= n
		at = i
	}
	return at
}

// before reports whether a letter of the script ends s: then the name is longer than a
// name can be.
func before(s string, script *unicode.RangeTable) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.Is(script, r)
}
