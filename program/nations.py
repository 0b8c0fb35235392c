"""Countries by their names and adjectives, so that "Iranian" and "in Iran" are seen to agree."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

# One country a line: its name, its adjective, other English names of it or of parts of it (United Nations member
# states and the English adjectives of the CIA World Factbook; constituent countries count for their state).
_TABLE = """
Afghanistan, Afghan|Albania, Albanian|Algeria, Algerian|Andorra, Andorran|Angola, Angolan
Argentina, Argentine, Argentinian|Armenia, Armenian|Australia, Australian|Austria, Austrian|Azerbaijan, Azerbaijani
Bahrain, Bahraini|Bangladesh, Bangladeshi|Barbados, Barbadian|Belarus, Belarusian, Belarusan|Belgium, Belgian
Benin, Beninese|Bhutan, Bhutanese|Bolivia, Bolivian|Bosnia and Herzegovina, Bosnian|Botswana|Brazil, Brazilian
Brunei, Bruneian|Bulgaria, Bulgarian|Burkina Faso, Burkinabe|Burundi, Burundian|Cambodia, Cambodian
Cameroon, Cameroonian|Canada, Canadian|Chad, Chadian|Chile, Chilean|China, Chinese, People's Republic of China
Colombia, Colombian|Congo, Congolese|Costa Rica, Costa Rican|Croatia, Croatian|Cuba, Cuban|Cyprus, Cypriot
Czech Republic, Czech, Czechia|Czechoslovakia, Czechoslovak|Denmark, Danish|Dominica|Dominican Republic, Dominican
Ecuador, Ecuadorian|Egypt, Egyptian|El Salvador, Salvadoran|Eritrea, Eritrean|Estonia, Estonian|Ethiopia, Ethiopian
Fiji, Fijian|Finland, Finnish|France, French|Gabon, Gabonese|Gambia, Gambian|Georgia, Georgian
Germany, German, West Germany, East Germany|Ghana, Ghanaian|Greece, Greek|Grenada, Grenadian|Guatemala, Guatemalan
Guinea, Guinean|Guyana, Guyanese|Haiti, Haitian|Honduras, Honduran|Hong Kong|Hungary, Hungarian|Iceland, Icelandic
India, Indian|Indonesia, Indonesian|Iran, Iranian, Persian|Iraq, Iraqi|Ireland, Irish|Israel, Israeli|Italy, Italian
Ivory Coast, Ivorian|Jamaica, Jamaican|Japan, Japanese|Jordan, Jordanian|Kazakhstan, Kazakh, Kazakhstani
Kenya, Kenyan|Kosovo, Kosovar|Kuwait, Kuwaiti|Kyrgyzstan, Kyrgyz|Laos, Laotian|Latvia, Latvian|Lebanon, Lebanese
Lesotho|Liberia, Liberian|Libya, Libyan|Liechtenstein|Lithuania, Lithuanian|Luxembourg, Luxembourgish
Macedonia, Macedonian, North Macedonia|Madagascar, Malagasy|Malawi, Malawian|Malaysia, Malaysian|Maldives, Maldivian
Mali, Malian|Malta, Maltese|Mauritania, Mauritanian|Mauritius, Mauritian|Mexico, Mexican|Moldova, Moldovan
Monaco, Monegasque|Mongolia, Mongolian|Montenegro, Montenegrin|Morocco, Moroccan|Mozambique, Mozambican
Myanmar, Burmese, Burma|Namibia, Namibian|Nepal, Nepalese, Nepali|Netherlands, Dutch|New Zealand
Nicaragua, Nicaraguan|Niger, Nigerien|Nigeria, Nigerian|North Korea, North Korean|Norway, Norwegian|Oman, Omani
Pakistan, Pakistani|Palestine, Palestinian|Panama, Panamanian|Papua New Guinea|Paraguay, Paraguayan|Peru, Peruvian
Philippines, Filipino, Philippine, Filipina|Poland, Polish|Portugal, Portuguese|Puerto Rico, Puerto Rican
Qatar, Qatari|Romania, Romanian|Russia, Russian|Rwanda, Rwandan|Samoa, Samoan|San Marino
Saudi Arabia, Saudi, Saudi Arabian|Senegal, Senegalese|Serbia, Serbian|Sierra Leone|Singapore, Singaporean
Slovakia, Slovak|Slovenia, Slovenian, Slovene|Somalia, Somali|South Africa, South African
South Korea, South Korean, Korean|South Sudan|Soviet Union, Soviet|Spain, Spanish|Sri Lanka, Sri Lankan
Sudan, Sudanese|Suriname, Surinamese|Sweden, Swedish|Switzerland, Swiss|Syria, Syrian|Taiwan, Taiwanese
Tajikistan, Tajik|Tanzania, Tanzanian|Thailand, Thai|Togo, Togolese|Tonga, Tongan|Trinidad and Tobago, Trinidadian
Tunisia, Tunisian|Turkey, Turkish|Turkmenistan, Turkmen|Uganda, Ugandan|Ukraine, Ukrainian
United Arab Emirates, Emirati
United Kingdom, British, UK, Britain, Great Britain, England, English, Scotland, Scottish, Wales, Welsh
United States, American, USA, US, U.S.|Uruguay, Uruguayan|Uzbekistan, Uzbek|Vatican City
Venezuela, Venezuelan|Vietnam, Vietnamese|Yemen, Yemeni|Yugoslavia, Yugoslav|Zambia, Zambian|Zimbabwe, Zimbabwean
"""
# Parts of a state that are countries in their own right: an English and a Scottish answer differ.
_PARTS = {
    form: row.split(", ")[0]
    for row in ("England, English", "Scotland, Scottish", "Wales, Welsh", "West Germany", "East Germany")
    for form in row.split(", ")
}
_ROWS = [[form.strip() for form in row.split(",")] for row in re.split(r"[|\n]", _TABLE) if row.strip()]
_COUNTRY_OF = {form: row[0] for row in _ROWS for form in row}
_LONGEST = max(len(form.split()) for form in _COUNTRY_OF)
_FIRST = frozenset(form.split()[0] for form in _COUNTRY_OF)
_WORD = re.compile(r"[A-Z](?:\.[A-Z]\.|[\w.']*\w)?|\b(?:of|and)\b")
# "English" and "French" name languages as well, so a form that a word for language follows is none.
_LANGUAGE = re.compile(r"[- ](?:language|speaking)")


def is_nation(text: str) -> bool:
    """Whether a text is the name of a country or its adjective, and nothing else."""
    return text in _COUNTRY_OF


@lru_cache(maxsize=4096)
def nations(text: str) -> tuple[tuple[str, int, int], ...]:
    """Countries that a text names or that its adjectives stand for: (country, start, end), in order.

    >>> nations("an Anglo-German film, shot in Iran")
    (('Germany', 9, 15), ('Iran', 30, 34))
    """
    found: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        start = match.start()
        if match.group() in _FIRST and (not found or start >= found[-1][2]):
            end = _form_end(text, start)
            if end and not _LANGUAGE.match(text, end):
                found.append((_COUNTRY_OF[text[start:end]], start, end))
    return tuple(found)


def countries(text: str) -> tuple[tuple[str, int, int], ...]:
    """Like `nations`, but England, Scotland, Wales and the two former Germanies are countries by themselves.

    >>> countries("a Scottish film"), nations("a Scottish film")
    ((('Scotland', 2, 10),), (('United Kingdom', 2, 10),))
    """
    return tuple((_PARTS.get(text[start:end], name), start, end) for name, start, end in nations(text))


def _form_end(text: str, start: int) -> int:
    """Where the longest form that begins here ends; 0 if none does."""
    ends = [match.end() for match in islice(_WORD.finditer(text, start), _LONGEST)]
    return next((end for end in reversed(ends) if text[start:end] in _COUNTRY_OF), 0)
