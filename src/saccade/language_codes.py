"""Codes of languages, however they are written: de, de-DE, deu, ger and deu_Latn mean the same language."""

import re

_CODES = (
    "af afr,am amh,ar ara arb,as asm,az aze azj,ba bak,be bel,bg bul,bn ben,"
    "bo bod tib,br bre,bs bos,ca cat,cs ces cze,cy cym wel,da dan,de deu ger,dz dzo,"  # codespell:ignore
    "el ell gre,en eng,eo epo,es spa,et ekk est,eu eus baq,fa fas per pes,fi fin,"
    "fo fao,fr fra fre,fy fry,ga gle,gd gla,gl glg,gu guj,ha hau,he heb,hi hin,"
    "hr hrv,ht hat,hu hun,hy hye arm,id ind,ig ibo,is isl ice,it ita,ja jpn,jv jav,"
    "ka kat geo,kk kaz,km khm,kn kan,ko kor,ku kmr kur,ky kir,la lat,lb ltz,lg lug,"
    "ln lin,lo lao,lt lit,lv lav lvs,mg mlg plt,mk mkd mac,ml mal,mn khk mon,mr mar,"
    "ms msa may zsm,mt mlt,my mya bur,nb nob,ne nep npi,nl nld dut,nn nno,no nor,"
    "oc oci,om orm gaz,or ori ory,pa pan,pl pol,ps pbt pus,pt por,qu que quy,"
    "ro ron rum,ru rus,rw kin,sa san,sd snd,se sme,si sin,sk slk slo,sl slv,sn sna,"  # codespell:ignore
    "so som,sq sqi alb als,sr srp,st sot,su sun,sv swe,sw swa swh,ta tam,te tel,"  # codespell:ignore
    "tg tgk,th tha,tk tuk,tl tgl,tr tur,tt tat,ug uig,uk ukr,ur urd,uz uzb uzn,"  # codespell:ignore
    "vi vie,vo vol,wa wln,xh xho,yi ydd yid,yo yor,zh cmn zho chi,zu zul"  # codespell:ignore
)
_TWO_LETTERS = {code: two for two, *longer in map(str.split, _CODES.split(",")) for code in longer}
"""Codes of ISO 639-1 by those of ISO 639-2 and 639-3 that models and corpora name their languages with.

A language of a group that has one code of two letters, such as Mandarin or Standard Arabic, has that of its group.
"""


def language_code(language: str | None) -> str:
    """The language alone, without its country or script, in two letters if it has so many; nothing if it is unknown."""
    code = re.split("[-_]", language or "", maxsplit=1)[0].lower()
    return _TWO_LETTERS.get(code, code)
