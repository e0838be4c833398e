import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Label, Task } from "~/api/types";

export type PracticeText = {
  /** One text, or its two parts. */
  parts: readonly MessageDescriptor[];
  /** Beginnings of words in the names of labels that this text might get, likeliest first; one line per label. */
  fits: string;
};

/** Two texts of one kind, invented and about nobody. */
export type PracticeSet = readonly [PracticeText, PracticeText];

const LAW: PracticeSet = [
  {
    parts: [
      msg`My landlord wants us to move out by the end of the month, because he needs the flat for his daughter. He also says that we still owe him money for the new heating, and he has told my employer about it.`,
    ],
    fits: `housing tenanc landlord rent miet wohn إيجار سكن
      consumer contract debt banking vertrag verbraucher schuld عقد عقود ديون مستهلك
      privacy data datenschutz persönlichkeit خصوصية
      employ labour labor work arbeit عمل`,
  },
  {
    parts: [
      msg`Our neighbour has cut down the old apple tree on our side of the fence. When I asked him why, he shouted at me in front of the children. The town says that he would have needed a permit.`,
    ],
    fits: `neighbo nachbar جوار جيران
      property land eigentum sachen ملكية
      planning building bau تخطيط بناء
      environment umwelt بيئة
      tort compensation damage schaden delikt haftung تعويض
      criminal straf جنا عقوبات`,
  },
];

const INFERENCE: PracticeSet = [
  {
    parts: [
      msg`A man in a suit is running down the street with a bag under his arm.`,
      msg`The man is late for work.`,
    ],
    fits: `neutral unentschieden محايد حياد
      entail follow true folg استلزام
      contradict false wider تناقض`,
  },
  {
    parts: [
      msg`Several people with suitcases are waiting on a platform.`,
      msg`The people are at a railway station.`,
    ],
    fits: `entail follow true folg استلزام
      neutral unentschieden محايد حياد
      contradict false wider تناقض`,
  },
];

const SCALE: PracticeSet = [
  {
    parts: [
      msg`The room was clean, and the people at the desk were friendly. The street was loud until late at night, though, and breakfast cost extra.`,
    ],
    fits: "",
  },
  {
    parts: [
      msg`Thank you for your message. I have read it twice now, and I still do not understand why nobody could have told me this a month ago.`,
    ],
    fits: "",
  },
];

/** People would disagree about these, whatever they are asked: topics, feelings, opinions. */
const ANYTHING: PracticeSet = [
  {
    parts: [
      msg`After twelve years, the bakery on the corner has closed. The rent had doubled, the owner says, and her son did not want to take over the business. The neighbours have written to the town hall; some of them are angry, others only sad.`,
    ],
    fits: `econom business wirtschaft اقتصاد أعمال
      housing rent wohn miet سكن إيجار
      sad trauer حزن
      ang wut ärger غضب
      famil عائل أسر
      politic politik سياس`,
  },
  {
    parts: [
      msg`The school wants its pupils to leave their phones in a box by the door. Some parents are relieved, others fear that they cannot reach their children. One teacher calls it a test for a single term.`,
    ],
    fits: `educat school bildung schule تعليم مدرس
      techno media technik medien تقني إعلام
      famil عائل أسر
      relie erleicht ارتياح
      fear angst خوف
      politic politik سياس`,
  },
];

/** The labels that a text might get, judging by their names, likeliest first; never one that excludes all others. */
export function fitting(text: PracticeText, labels: readonly Label[]): Label[] {
  const found: Label[] = [];
  for (const line of text.fits.split("\n")) {
    const beginnings = line.trim().split(" ").filter(Boolean);
    if (beginnings.length === 0) continue;
    const word = new RegExp(`(?<!\\p{L})(?:ال)?(?:${beginnings.join("|")})`, "iu");
    const label = labels.find(
      (one) => !one.exclusive && !found.includes(one) && word.test(one.name),
    );
    if (label) found.push(label);
  }
  return found;
}

/** The two texts that suit a study's labels best; if nothing is known about them, texts that could be about anything. */
export function textsFor(task: Task["study"]["task"], labels: readonly Label[]): PracticeSet {
  if (task === "ordinal") return SCALE;
  const known = task === "multiclass" ? [INFERENCE, LAW] : [LAW];
  return known.find((set) => set.every((text) => fitting(text, labels).length >= 2)) ?? ANYTHING;
}
