"""German, French, Japanese and Chinese of the development half."""

from __future__ import annotations

from trapset.holdings import Tongue, triples
from trapset.speech import lines

TONGUES = (
    Tongue(
        code="de", category="language", people=("Annegret", "Volker"),
        rows=triples("""
die alten Fensterläden gestrichen | den Fensterladen gestrichen | Fensterladen
zwei Kälbchen auf die Welt geholt | das Kälbchen geholt | Kälbchen
das Fahrrad meiner Nichte geflickt | die Fahrräder geflickt | Fahrrad
die Brombeeren eingekocht | Brombeere und Einkochen hinbekommen | Brombeeren
den Führerschein verloren | die Führerscheine verloren | Führerschein
einen Schlüsselbund gefunden | die Schlüsselbünde gefunden | Schlüsselbund
die Geburtstagstorte gebacken | Geburtstagstorten gebacken | Geburtstagstorte
mit den Nachbarn gegrillt | mit dem Nachbarn gegrillt | Nachbar
den Rasenmäher verliehen | Rasenmäher verliehen | Rasenmäher
drei Bäume gefällt | den Baum gefällt | Baum
die Kätzchen gefüttert | das Kätzchen gefüttert | Kätzchen
das Klavier stimmen lassen | Klaviere gestimmt bekommen | Klavier
eine Lesebrille gekauft | Lesebrillen gekauft | Lesebrille
den Zug verpasst | die Züge verpasst | Zug
das Gewächshaus gebaut | Gewächshäuser gebaut | Gewächshaus
die Hühner eingefangen | das Huhn eingefangen | Huhn
die Gemälde aufgehängt | das Gemälde aufgehängt | Gemälde
einen Töpferkurs besucht | Töpferkurse besucht | Töpferkurs
"""),
        where=lines("""
hinter dem Bahnhof
bei der Tante in Soest
unten am Deich
im Hof der Feuerwehr
neben der Apotheke
auf dem Parkplatz am Freibad
oben in der Mansarde
drüben bei der Mühle
"""),
        tellings=lines("""
Stell dir vor, ich habe {said}, und zwar {where}.
Gestern habe ich {where} {said}.
Endlich! Ich habe {said}, {where} übrigens.
Ich habe {where} {said}, mir tut noch alles weh.
"""),
        noted=lines("""
{name} hat {where} {said}; es hat geregnet.
Heute hat {name} {said}, {where}, wie so oft.
Nach dem Essen hat {name} {where} {said}.
Wie versprochen hat {name} {said}, und das {where}.
"""),
        asked=lines("""
Wo hat {name} {asked}?
An welchem Ort hat {name} {asked}?
Weißt du noch, wo {name} {asked} hat?
Wo genau war es, dass {name} {asked} hat?
"""),
        decoys=lines("""
{name}, was macht eigentlich das Thema {noun}?
Ich las etwas über {noun}, {name}, und dachte an dich.
{name}, träumst du auch von {noun}?
"""),
        chatter=lines("""
Na, wie geht es dir heute?
Das klingt ja herrlich.
Ich muss gleich los, bis später!
Bei uns regnet es seit Tagen.
Ach, das kenne ich nur zu gut.
Hast du schon gegessen?
Grüß deine Mutter von mir.
"""),
        titles=("Tagebuch", "Notizen"),
    ),
    Tongue(
        code="fr", category="language", people=("Maëlle", "Thibault"),
        rows=triples("""
réparé les volets de la cuisine | réparé le volet | volet
cueilli des framboises | cueilli la framboise | framboise
vendu mes vieux disques | vendu le disque | disque
perdu les clés de la cave | perdu la clé | clé
adopté deux chatons | adopté un chaton | chaton
repeint les chaises du jardin | repeint la chaise | chaise
raté le dernier train | raté les derniers trains | train
trouvé une montre ancienne | trouvé des montres anciennes | montre
préparé un gâteau aux noix | préparé des gâteaux | gâteau
planté trois pommiers | planté le pommier | pommier
gagné un tournoi d'échecs | gagné des tournois | tournoi
rencontré des musiciens | rencontré le musicien | musicien
cassé mes lunettes | cassé la lunette | lunettes
acheté un vélo d'occasion | acheté des vélos | vélo
suivi un cours de poterie | suivi des cours de poterie | poterie
attrapé un énorme brochet | attrapé des brochets énormes | brochet
soigné un cheval blessé | soigné les chevaux | cheval
accroché les tableaux | accroché le tableau | tableau
"""),
        where=lines("""
derrière la gare
chez ma cousine à Tulle
au bord du canal
dans la cour de l'école
à côté de la pharmacie
sur le parking de la piscine
au fond du grenier
près du vieux moulin
"""),
        tellings=lines("""
Figure-toi que j'ai {said}, {where}.
Hier, j'ai {said} {where}.
Enfin ! J'ai {said}, et c'était {where}.
Moi, {where}, j'ai {said}, j'en ai encore mal au dos.
"""),
        noted=lines("""
{name} a {said} {where} ; il pleuvait.
Aujourd'hui {name} a {said}, {where}, comme souvent.
Après le repas, {name} a {said} {where}.
Comme promis, {name} a {said}, et cela {where}.
"""),
        asked=lines("""
Où {name} a-t-il {asked} ?
À quel endroit {name} a {asked} ?
Te souviens-tu où {name} a {asked} ?
C'était où, quand {name} a {asked} ?
"""),
        decoys=lines("""
{name}, et cette histoire de {noun}, alors ?
J'ai lu un article sur le mot {noun}, {name}, et pensé à toi.
{name}, rêves-tu aussi de {noun} ?
"""),
        chatter=lines("""
Alors, comment ça va aujourd'hui ?
Cela a l'air merveilleux.
Je dois filer, à plus tard !
Chez nous, il pleut depuis des jours.
Ah, je connais ça par cœur.
Tu as déjà mangé ?
Embrasse ta mère pour moi.
"""),
        titles=("Journal", "Carnet"),
    ),
    Tongue(
        code="none", category="cjk", people=("健太", "美咲"),
        rows=triples("""
古い自転車を修理した | 自転車を直した | 自転車
梅干しを漬けた | 梅干しを作った | 梅干し
迷子の子猫を拾った | 子猫を見つけた | 子猫
財布を落とした | 財布をなくした | 財布
将棋の大会で優勝した | 将棋で優勝した | 将棋
和太鼓の練習を始めた | 和太鼓を習い始めた | 和太鼓
庭に柿の木を植えた | 柿の木を植えた | 柿
祖父の腕時計を見つけた | 腕時計を見つけた | 腕時計
手作りの石鹸を売った | 石鹸を売った | 石鹸
流れ星を撮影した | 流れ星の写真を撮った | 流れ星
眼鏡を壊した | 眼鏡を割った | 眼鏡
俳句の会に入った | 俳句の会に参加した | 俳句
新しい包丁を買った | 包丁を購入した | 包丁
巨大な鯉を釣った | 鯉を釣り上げた | 鯉
障子を張り替えた | 障子を替えた | 障子
三線を弾いた | 三線を演奏した | 三線
終電を逃した | 終電に乗り遅れた | 終電
陶芸教室に通った | 陶芸教室に行った | 陶芸
"""),
        where=lines("駅の裏で\n叔母の家で\n川沿いの公園で\n消防署の前で\n薬局の隣で\nプールの駐車場で\n屋根裏で\n水車小屋の近くで"),
        tellings=lines("""
聞いて、昨日{where}{said}よ。
ついに{where}{said}！
実は{where}{said}んだ。
{where}{said}。まだ信じられない。
"""),
        noted=lines("""
{name}が{where}{said}。雨だった。
今日、{name}は{where}{said}。
食事の後、{name}が{where}{said}。
約束どおり{name}は{where}{said}。
"""),
        asked=lines("""
{name}はどこで{asked}か？
{name}が{asked}のはどこ？
{asked}とき、{name}はどこにいた？
どこで{name}は{asked}の？
"""),
        decoys=lines("""
{name}、{noun}の話はどうなったの？
{noun}の記事を読んで、{name}を思い出したよ。
{name}も{noun}の夢を見る？
"""),
        chatter=lines("""
元気にしてる？
それは楽しそうだね。
そろそろ行かなくちゃ。
こっちはずっと雨だよ。
わかる、わかる。
もうご飯食べた？
お母さんによろしくね。
"""),
        titles=("日記", "メモ"),
    ),
    Tongue(
        code="none", category="cjk", people=("志强", "晓燕"),
        rows=triples("""
修好了旧收音机 | 修理收音机 | 收音机
种了三棵石榴树 | 种石榴树 | 石榴树
捡到一只小乌龟 | 发现小乌龟 | 乌龟
弄丢了钱包 | 丢了钱包 | 钱包
赢了围棋比赛 | 在围棋比赛里获胜 | 围棋
开始学二胡 | 学习二胡 | 二胡
腌了一坛酸菜 | 腌酸菜 | 酸菜
卖掉了摩托车 | 把摩托车卖了 | 摩托车
拍到了彩虹 | 拍摄彩虹 | 彩虹
打碎了花瓶 | 把花瓶打碎 | 花瓶
加入了合唱团 | 参加合唱团 | 合唱团
买了一把二手吉他 | 购买吉他 | 吉他
钓到一条大鲤鱼 | 钓鲤鱼 | 鲤鱼
包了两百个饺子 | 包饺子 | 饺子
错过了末班车 | 没赶上末班车 | 末班车
上了陶艺课 | 去上陶艺课 | 陶艺
救了一只受伤的麻雀 | 救麻雀 | 麻雀
挂起了红灯笼 | 挂灯笼 | 灯笼
"""),
        where=lines("在火车站后面\n在姑妈家\n在河边的公园\n在消防队门口\n在药店旁边\n在游泳馆的停车场\n在阁楼上\n在老磨坊附近"),
        tellings=lines("""
告诉你，昨天我{where}{said}。
终于，我{where}{said}！
其实我{where}{said}，累坏了。
我{where}{said}，到现在还不敢相信。
"""),
        noted=lines("""
{name}{where}{said}，那天下雨。
今天{name}{where}{said}。
饭后{name}{where}{said}。
说好了的，{name}{where}{said}。
"""),
        asked=lines("""
{name}在哪里{asked}？
{name}{asked}是在什么地方？
你记得{name}是在哪儿{asked}的吗？
{name}{asked}的地点是哪里？
"""),
        decoys=lines("""
{name}，{noun}的事怎么样了？
我读到一篇讲{noun}的文章，想起了{name}。
{name}，你也梦见{noun}吗？
"""),
        chatter=lines("""
你最近好吗？
听起来真不错。
我得走了，回头聊！
我们这儿一直下雨。
我太懂了。
你吃饭了吗？
替我问候你妈妈。
"""),
        titles=("日记本", "备忘录"),
    ),
)  # fmt: skip
