"""What languages are called in English, by their codes (ISO 639)."""

from saccade.language_codes import language_code

_NAMES = (
    "af Afrikaans,am Amharic,an Aragonese,ar Arabic,as Assamese,az Azerbaijani,ba Bashkir,be Belarusian,bg Bulgarian,"
    "bn Bengali,br Breton,bs Bosnian,ca Catalan,cs Czech,cy Welsh,da Danish,de German,dz Dzongkha,el Greek,en English,"
    "eo Esperanto,es Spanish,et Estonian,eu Basque,fa Persian,fi Finnish,fo Faroese,fr French,fy Western Frisian,"
    "ga Irish,gd Scottish Gaelic,gl Galician,gu Gujarati,ha Hausa,he Hebrew,hi Hindi,hr Croatian,ht Haitian,"
    "hu Hungarian,hy Armenian,id Indonesian,ig Igbo,is Icelandic,it Italian,ja Japanese,jv Javanese,ka Georgian,"
    "kk Kazakh,km Khmer,kn Kannada,ko Korean,ku Kurdish,ky Kyrgyz,la Latin,lb Luxembourgish,ln Lingala,lo Lao,"
    "lt Lithuanian,lv Latvian,mg Malagasy,mk Macedonian,ml Malayalam,mn Mongolian,mr Marathi,ms Malay,mt Maltese,"
    "my Burmese,nb Norwegian Bokmål,ne Nepali,nl Dutch,nn Norwegian Nynorsk,no Norwegian,oc Occitan,om Oromo,or Odia,"
    "pa Punjabi,pl Polish,ps Pashto,pt Portuguese,qu Quechua,ro Romanian,ru Russian,rw Kinyarwanda,sa Sanskrit,"
    "se Northern Sami,si Sinhala,sk Slovak,sl Slovenian,sn Shona,so Somali,sq Albanian,sr Serbian,st Southern Sotho,"
    "sv Swedish,sw Swahili,ta Tamil,te Telugu,tg Tajik,th Thai,tk Turkmen,tl Tagalog,tr Turkish,tt Tatar,ug Uyghur,"
    "uk Ukrainian,ur Urdu,uz Uzbek,vi Vietnamese,wa Walloon,xh Xhosa,yo Yoruba,zh Chinese,zu Zulu"
)
NAMES = dict(entry.split(" ", 1) for entry in _NAMES.split(","))
"""The English names of languages by their codes (ISO 639)."""


def language_name(code: str) -> str:
    """What a language is called, with its country or script; the code itself where nobody here knows."""
    name = NAMES.get(language_code(code))
    variant = code.replace("_", "-").partition("-")[2]
    return code if name is None else f"{name} ({variant})" if variant else name
