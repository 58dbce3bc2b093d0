/** Base form, then its irregular forms. */
const families = `
be am is are was were been being
have has had having
do does did done doing
go goes went gone going
make made
pay paid
send sent
buy bought
lose lost losing
break broke broken
leave left
tell told
say said
get got gotten getting
take took taken
give gave given
come came
know knew known
see saw seen seeing
find found
think thought
bring brought
keep kept
hold held
write wrote written
run ran running
meet met
sit sat sitting
stand stood
understand understood
hear heard
mean meant
begin began begun beginning
show shown
eat ate eaten
drink drank drunk
drive drove driven
fly flew flown flies flying
forget forgot forgotten
choose chose chosen
sell sold
spend spent
lend lent
build built
feel felt
fall fell fallen
grow grew grown
steal stole stolen
speak spoke spoken
swear swore sworn
wear wore worn
win won winning
throw threw thrown
catch caught
teach taught
sleep slept
lead led
draw drew drawn
swim swam swum swimming
sing sang sung
wake woke woken
freeze froze frozen
hide hid hidden
ride rode ridden
rise rose risen
shake shook shaken
strike struck stricken
withdraw withdrew withdrawn
wind wound
send sent
become became
overdraw overdrew overdrawn
undo undid undone undoes
try tries tried trying
die dies died dying
lie lies lied lying
tie ties tied tying
use used uses using
add added adds adding
free freed
agree agreed
refer referred referring
cancel cancelled cancelling canceled canceling
travel travelled travelling traveled traveling
label labelled labelling
control controlled controlling
excite excited exciting
total totalled totalling
fuel fuelled fuelling
change changes changed changing
charge charges charged charging
exchange exchanges exchanged exchanging
need needed needs needing
believe believed
child children
person people persons
man men
woman women
foot feet
tooth teeth
mouse mice
life lives
wife wives
knife knives
half halves
self selves
movie movies
cookie cookies
calorie calories
lens lenses
tax taxes
bus buses
gas gases
fee fees
shoe shoes
toe toes
size sizes sized sizing
prize prizes
cache caches
good better best
bad worse worst
`;

/** Irregular form to base form; base forms are among the keys. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  families
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [base = "", ...forms] = line.split(" ");
      return [base, ...forms].map((form) => [form, base] as const);
    }),
);

/** Words that only look like a plural, a past or an -ing form. */
export const plainWords: ReadonlySet<string> = new Set(
  `this his hers its thus yes news plus always perhaps besides afterwards towards whereas series species
  themselves christmas pending upcoming offspring during morning evening thing anything something nothing everything ceiling string spring wedding
  king ring wing sibling sterling pudding darling lightning herring outing
  hundred kindred sacred naked wicked indeed speed seed weed breed feed bleed proceed exceed succeed bed red
  united visa atlas canvas alias`.match(/\S+/g),
);
