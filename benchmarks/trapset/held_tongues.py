"""Spanish, German, Chinese and Japanese of the held-out half. Tune nothing on it."""

from __future__ import annotations

from trapset.holdings import Tongue, triples
from trapset.speech import lines

TONGUES = (
    Tongue(
        code="es", category="language", people=("Nayara", "Gonzalo"),
        rows=triples("""
arreglado las persianas del salón | arreglado la persiana | persiana
recogido muchas aceitunas | recogido la aceituna | aceitunas
vendido mis viejos tebeos | vendido el tebeo | tebeo
perdido las gafas de sol | perdido la gafa | gafas
adoptado dos perritos | adoptado un perrito | perrito
barnizado las sillas del patio | barnizado la silla | silla
perdido el último autobús | perdido los últimos autobuses | autobús
encontrado una moneda antigua | encontrado monedas antiguas | moneda
preparado una tarta de almendra | preparado tartas | tarta
plantado tres limoneros | plantado el limonero | limonero
ganado un torneo de dominó | ganado torneos | torneo
conocido a unos actores | conocido al actor | actor
roto los platos de la abuela | roto el plato | plato
comprado un tambor usado | comprado tambores | tambor
empezado unas clases de cerámica | empezado la clase de cerámica | cerámica
pescado un atún enorme | pescado atunes enormes | atún
curado un burro herido | curado los burros | burro
colgado los espejos | colgado el espejo | espejo
"""),
        where=lines("""
detrás del cuartel
en casa de mi madrina en Soria
a orillas del embalse
en el patio del instituto
al lado de la ferretería
en el aparcamiento del estadio
en lo alto del desván
cerca del viejo faro
"""),
        tellings=lines("""
Imagínate, he {said} {where}.
Esta semana he {said}, fue {where}.
¡Por fin! He {said} {where}.
Pues yo, {where}, he {said}, y todavía me duele la espalda.
"""),
        noted=lines("""
{name} ha {said} {where}; hacía viento.
Hoy {name} ha {said}, {where}, como tantas veces.
Después de cenar {name} ha {said} {where}.
Tal como prometió, {name} ha {said}, y eso {where}.
"""),
        asked=lines("""
¿Dónde ha {asked} {name}?
¿En qué lugar ha {asked} {name}?
¿Recuerdas dónde {name} ha {asked}?
¿Dónde fue que {name} ha {asked}?
"""),
        decoys=lines("""
{name}, ¿y aquello de {noun}, cómo va?
Leí algo sobre la palabra {noun}, {name}, y pensé en ti.
{name}, ¿tú también sueñas con {noun}?
"""),
        chatter=lines("""
¿Qué tal estás hoy?
Suena maravilloso.
Tengo que irme, ¡hasta luego!
Aquí no para de llover.
Ay, eso me suena mucho.
¿Ya has comido?
Dale un beso a tu madre.
"""),
        titles=("Diario", "Cuaderno"),
    ),
    Tongue(
        code="de", category="language", people=("Wiebke", "Joachim"),
        rows=triples("""
die Dachrinnen gereinigt | die Dachrinne gereinigt | Dachrinne
zwei Entenküken aufgezogen | das Entenküken aufgezogen | Entenküken
den Kinderwagen meiner Schwester repariert | die Kinderwägen repariert | Kinderwagen
die Pflaumen entsteint | die Pflaume entsteint | Pflaumen
meinen Regenschirm vergessen | die Regenschirme vergessen | Regenschirm
eine Geldbörse abgegeben | die Geldbörsen abgegeben | Geldbörse
einen Apfelstrudel gerollt | die Apfelstrudel gerollt | Apfelstrudel
mit alten Schulfreunden gewürfelt | mit dem Schulfreund gewürfelt | Schulfreund
das Zelt verschenkt | die Zelte verschenkt | Zelt
vier Büsche gestutzt | den Busch gestutzt | Busch
die Schäfchen geschoren | das Schaf geschoren | Schaf
die Standuhr aufgezogen | Standuhren aufgezogen | Standuhr
einen Wintermantel bestellt | Wintermäntel bestellt | Wintermantel
das Flugzeug verpasst | die Flugzeuge verpasst | Flugzeug
das Baumhaus gezimmert | Baumhäuser gezimmert | Baumhaus
die Gänse gehütet | die Gans gehütet | Gans
die Schränke abgeschliffen | den Schrank abgeschliffen | Schrank
einen Segelkurs gemacht | Segelkurse gemacht | Segelkurs
"""),
        where=lines("""
beim Rathaus
beim Schwager in Celle
draußen am Leuchtturm
im Garten der Pfarrei
gegenüber der Metzgerei
in der Halle am Sportplatz
unter dem Vordach
jenseits der Schleuse
"""),
        tellings=lines("""
Rate mal: {where} wurde es wahr, ich hab {said}.
Vorgestern hab ich {said}, {where}.
Ich Esel hab {where} {said}.
Nun ist es raus, ich hab {said} {where}.
"""),
        noted=lines("""
Laut Kalender hat {name} {said}, Ort: {where}.
{where} hat {name} {said}; danach gab es Tee.
Bei Nebel hat {name} {where} {said}.
Wieder einmal hat {name} {said}, diesmal {where}.
"""),
        asked=lines("""
Sag mir, wo {name} {asked} hatte.
Welcher Ort war das, als {name} {asked} hat?
Wo war {name}, als {name} {asked} hat?
Ist bekannt, wo {name} {asked} hat?
"""),
        decoys=lines("""
Immer dieses Gerede von {noun}, {name}.
{name}, im Radio ging es um {noun}.
Sollten wir nicht über {noun} sprechen, {name}?
"""),
        chatter=lines("""
Lange nichts gehört!
Das freut mich aber.
Ich melde mich morgen wieder.
Hier ist es bitterkalt.
Wem sagst du das.
Trinkst du noch Kaffee?
Alles Liebe an die Familie.
"""),
        titles=("Chronik", "Zettel"),
    ),
    Tongue(
        code="none", category="cjk", people=("建国", "雅婷"),
        rows=triples("""
补好了漏水的屋顶 | 修补屋顶 | 屋顶
养了两只鹦鹉 | 开始养鹦鹉 | 鹦鹉
找到一枚古钱币 | 发现古钱币 | 钱币
把护照忘了 | 忘了护照 | 护照
拿了象棋冠军 | 成为象棋冠军 | 象棋
报名学书法 | 学书法 | 书法
酿了一桶葡萄酒 | 酿葡萄酒 | 葡萄酒
送走了旧钢琴 | 把钢琴送人 | 钢琴
看见了流星雨 | 观看流星雨 | 流星雨
烧糊了红烧肉 | 把红烧肉烧糊 | 红烧肉
参加了龙舟队 | 加入龙舟队 | 龙舟
订了一套茶具 | 购买茶具 | 茶具
捞到一只螃蟹 | 捞螃蟹 | 螃蟹
做了三笼包子 | 做包子 | 包子
误了高铁 | 没赶上高铁 | 高铁
练了太极拳 | 练习太极拳 | 太极拳
放走了一只狐狸 | 放生狐狸 | 狐狸
剪了一幅窗花 | 剪窗花 | 窗花
"""),
        where=lines("在邮局对面\n在舅舅家\n在湖边的小屋\n在图书馆门前\n在银行旁边\n在体育场的地下室\n在阳台上\n在旧码头附近"),
        tellings=lines("""
你猜怎么着，我{where}{said}。
上周末我{where}{said}，真过瘾。
说来好笑，我{where}{said}。
总算{where}{said}了，我好开心。
"""),
        noted=lines("""
据说{name}{where}{said}。
那天很冷，{name}{where}{said}。
{name}{said}，就{where}。
又一次，{name}{where}{said}。
"""),
        asked=lines("""
请问{name}是在哪个地方{asked}的？
{name}{asked}时在哪儿？
哪里是{name}{asked}的地方？
想知道{name}在何处{asked}。
"""),
        decoys=lines("""
又在说{noun}了，{name}。
{name}，电视里在讲{noun}。
要不要聊聊{noun}，{name}？
"""),
        chatter=lines("""
好久没消息了！
真替你高兴。
明天再联系。
这里冷得要命。
可不是嘛。
喝咖啡吗？
代我向全家问好。
"""),
        titles=("周记", "便条"),
    ),
    Tongue(
        code="none", category="cjk", people=("大輔", "千尋"),
        rows=triples("""
雨漏りの屋根を直した | 屋根を修理した | 屋根
味噌を仕込んだ | 味噌を作った | 味噌
怪我した燕を助けた | 燕を救った | 燕
切符を忘れた | 切符を置き忘れた | 切符
囲碁の試合に負けた | 囲碁で負けた | 囲碁
尺八を習い始めた | 尺八を始めた | 尺八
畑に西瓜を植えた | 西瓜を育てた | 西瓜
古い掛け軸を見つけた | 掛け軸を発見した | 掛け軸
自作の椅子を譲った | 椅子をあげた | 椅子
蛍を撮影した | 蛍の写真を撮った | 蛍
湯呑みを割った | 湯呑みを壊した | 湯呑み
短歌の会を作った | 短歌の会を始めた | 短歌
中古の太刀を買った | 太刀を購入した | 太刀
大きな蟹を捕まえた | 蟹を捕った | 蟹
畳を新しくした | 畳を替えた | 畳
琴を演奏した | 琴を弾いた | 琴
新幹線に乗り遅れた | 新幹線を逃した | 新幹線
茶道教室に入った | 茶道を習いに行った | 茶道
"""),
        where=lines("市役所の向かいで\n伯父の店で\n湖のほとりで\n図書館の入口で\n銀行の地下で\n体育館の裏手で\nベランダで\n古い港のそばで"),
        tellings=lines("""
あのね、先週{where}{said}んだよ。
笑わないで、{where}{said}の。
とうとう{where}{said}、嬉しい。
{where}{said}けど、疲れた。
"""),
        noted=lines("""
寒い日、{name}は{where}{said}。
{name}が{said}、場所は{where}。
また{name}が{where}{said}。
記録：{name}、{where}{said}。
"""),
        asked=lines("""
{name}が{asked}場所を教えて。
{asked}のは{name}だが、場所は？
{name}はどのあたりで{asked}？
{name}が{asked}所はどこですか？
"""),
        decoys=lines("""
また{noun}か、{name}。
{name}、テレビで{noun}をやってるよ。
{noun}について話そうか、{name}？
"""),
        chatter=lines("""
久しぶりだね！
よかったね。
また明日連絡する。
ここはすごく寒い。
ほんとにそうだね。
コーヒー飲む？
ご家族によろしく。
"""),
        titles=("週報", "覚え書き"),
    ),
)  # fmt: skip
