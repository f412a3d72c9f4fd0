package sim

// villageName makes a name of a hash. Every fifth village keeps its name in kana, so that texts need a second
// script.
func villageName(h uint32, index int) string {
	if index%5 == 2 {
		head := [...]string{"みどり", "かわ", "あおい", "もり", "ひかり", "たに", "ほし", "かぜ"}
		tail := [...]string{"の里", "村", "が丘", "の谷"}
		return head[h%8] + tail[h>>8%4]
	}
	head := [...]string{
		"Alder", "Willow", "Heron", "Otter", "Hollow", "Stone", "Mossy", "Lark", "Bramble", "Copper", "Fallow",
		"Hazel", "Kestrel", "Linden", "Meadow", "Rowan",
	}
	tail := [...]string{"mere", "ford", "stead", "combe", "bridge", "wick", "holm", "ley", "beck", "thorpe"}
	return head[h%16] + tail[h>>8%10]
}
