#include "cycles_seam.h"

#include <string.h>

enum { ID_BITS = 4, ID_MASK = 15 };

static uint64_t low_bits(int n)
{
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

int seam_prepare(seam_play *p, const seam *s, const pays *pay, uint8_t classes)
{
    memset(p, 0, sizeof *p);
    if (s->short_cards < 1 || s->short_cards > MAX_SEAM || s->drift_cards > MAX_SEAM)
        return 0;
    p->is = *s;
    memcpy(p->pay, pay->pay, sizeof p->pay);
    for (int i = 0; i < s->short_cards; i++)
        if (s->short_hand[i]) {
            p->short_mask |= (uint64_t)1 << i;
            p->short_class[p->short_courts++] = s->short_hand[i];
        }
    for (int i = 0; i < s->drift_cards; i++)
        if (s->drift[i]) {
            p->drift_mask |= (uint64_t)1 << i;
            p->drift_class[p->drift_courts++] = s->drift[i];
        }
    p->all = classes;
    for (int g = 0; g <= 64; g++)
        for (int c = JACK; c < CLASSES; c++) {
            if (p->pay[c] > g)
                p->above[g] |= classes & 1 << (c - 1);
            if (p->pay[c] == g)
                p->exactly[g] |= classes & 1 << (c - 1);
        }
    return 1;
}

int tape_word_from_codes(const seam_play *p, const uint8_t *codes, int cards, tape_word *w)
{
    if (cards < p->is.drift_cards || cards > MAX_WORD || cards + p->is.short_cards > 62)
        return 0;
    for (int i = 0; i < p->is.drift_cards; i++)
        if (codes[i] != p->is.drift[i])
            return 0;
    w->word.mask = w->word.ids = 0;
    w->word.cards = cards;
    int id = 0;
    for (int i = 0; i < cards; i++)
        if (codes[i]) {
            if (id + p->short_courts >= MAX_COURTS)
                return 0;
            w->word.mask |= (uint64_t)1 << i;
            w->word.ids |= (uint64_t)id << ID_BITS * id;
            w->class_of[id++] = codes[i];
        }
    w->seam.mask = p->short_mask;
    w->seam.ids = 0;
    w->seam.cards = p->is.short_cards;
    for (int j = 0; j < p->short_courts; j++) {
        w->seam.ids |= (uint64_t)id << ID_BITS * j;
        w->class_of[id++] = p->short_class[j];
    }
    w->courts = id;
    w->tricks = w->turned = 0;
    return 1;
}

/* A hand in play. The bit after the last card is set in `mask`, as an end mark: so the number of
 * number cards on top is always one count of trailing zeros, and a hand has run out where that
 * reaches `cards`. */
typedef struct {
    uint64_t mask, ids;
    int cards, courts;
} playing_hand;

static inline void drop(playing_hand *h, int cards)
{
    h->mask >>= cards;
    h->cards -= cards;
}

int play_round(const seam_play *p, tape_word *w, int *peak, uint8_t *sets)
{
    enum { LONG, SHORT };
    const int n = w->word.cards;
    playing_hand hand[2] = {
        [LONG] = {w->word.mask | (uint64_t)1 << n, w->word.ids, n, 0},
        [SHORT] = {w->seam.mask | (uint64_t)1 << w->seam.cards, w->seam.ids, w->seam.cards, p->short_courts},
    };
    uint64_t out_mask = 0, out_ids = 0;
    int out_cards = 0, out_courts = 0, most = *peak, good = 0;
    unsigned tricks = 0, turned = 0;
    int leader = p->is.short_leads ? SHORT : LONG;

    while (hand[LONG].cards > 0) {
        /* Leading number cards, turn about, up to the first court card. */
        playing_hand *x = &hand[leader], *y = &hand[leader ^ 1];
        int gx = __builtin_ctzll(x->mask), gy = __builtin_ctzll(y->mask);
        int owner, pile_cards, pile_courts = 1;
        if (gx <= gy) {
            if (gx == x->cards)
                goto end;
            drop(x, gx);
            drop(y, gx);
            pile_cards = 2 * gx;
            owner = leader;
        } else {
            if (gy == y->cards)
                goto end;
            drop(x, gy + 1);
            drop(y, gy);
            pile_cards = 2 * gy + 1;
            owner = leader ^ 1;
        }
        uint64_t pile_mask = 0, pile_ids = 0;
        pile_courts = 0;
        for (;;) {
            /* The owner's court card goes on the pile, the other pays. */
            playing_hand *o = &hand[owner], *payer = &hand[owner ^ 1];
            int id = o->ids & ID_MASK;
            o->ids >>= ID_BITS;
            o->courts--;
            drop(o, 1);
            pile_mask |= (uint64_t)1 << pile_cards++;
            pile_ids |= (uint64_t)id << ID_BITS * pile_courts++;
            int owed = p->pay[w->class_of[id]], paid = __builtin_ctzll(payer->mask);
            if (owed <= paid) {
                if (sets)
                    sets[id] &= p->exactly[owed];
                drop(payer, owed);
                pile_cards += owed;
                break;
            }
            if (paid == payer->cards)
                goto end;
            if (sets)
                sets[id] &= p->above[paid];
            drop(payer, paid);
            pile_cards += paid;
            owner ^= 1;
        }
        tricks++;
        turned += pile_cards;
        if (owner == LONG) {
            out_mask |= pile_mask << out_cards;
            out_ids |= pile_ids << ID_BITS * out_courts;
            out_cards += pile_cards;
            out_courts += pile_courts;
        } else {
            playing_hand *s = &hand[SHORT];
            const uint64_t end = (uint64_t)1 << s->cards;
            s->mask = (s->mask ^ end) | pile_mask << s->cards | end << pile_cards;
            s->ids |= pile_ids << ID_BITS * s->courts;
            s->cards += pile_cards;
            s->courts += pile_courts;
            if (s->cards > most)
                most = s->cards;
        }
        leader = owner;
    }

    *peak = most;
    /* Back at the seam? */
    const playing_hand *s = &hand[SHORT];
    if (leader != (p->is.short_leads ? SHORT : LONG) || s->mask != (p->short_mask | (uint64_t)1 << w->seam.cards))
        goto end;
    for (int j = 0; j < p->short_courts; j++) {
        int id = s->ids >> ID_BITS * j & ID_MASK;
        if (w->class_of[id] != p->short_class[j])
            goto end;
        if (sets)
            sets[id] &= 1 << (p->short_class[j] - 1);
    }
    /* Does what was collected end in the drift? The next word has it in front instead. */
    const int d = p->is.drift_cards, kept = out_courts - p->drift_courts;
    if (out_mask >> (n - d) != p->drift_mask || kept < 0)
        goto end;
    for (int j = 0; j < p->drift_courts; j++) {
        int id = out_ids >> ID_BITS * (kept + j) & ID_MASK;
        if (w->class_of[id] != p->drift_class[j])
            goto end;
        if (sets)
            sets[id] &= 1 << (p->drift_class[j] - 1);
    }
    uint64_t front = p->drift_courts ? out_ids >> ID_BITS * kept : 0;
    uint64_t kept_ids = out_ids & low_bits(ID_BITS * kept);
    w->word.mask = (out_mask << d & low_bits(n)) | p->drift_mask;
    w->word.ids = kept_ids << ID_BITS * p->drift_courts | (front & low_bits(ID_BITS * p->drift_courts));
    w->seam.ids = s->ids;
    good = 1;
end:
    w->tricks += tricks;
    w->turned += turned;
    return good;
}

/* The piece whose shape comes back after `rounds` rounds from `start`; 0 if no ranks fit. */
static int lift(const seam_play *p, const tape_word *start, int rounds, shape *found)
{
    uint8_t sets[MAX_COURTS], fit[MAX_COURTS], place_of[MAX_COURTS];
    tape_word w = *start;
    strip phases[MAX_SHAPE_ROUNDS];
    int peak = p->is.short_cards;
    memset(sets, p->all, sizeof sets);
    for (int k = 0; k < rounds; k++) {
        phases[k] = w.word;
        play_round(p, &w, &peak, sets);
    }
    /* A court card now stands where another stood, and must fit there in the next rounds, and so
     * on round the orbit. */
    int courts = start->courts - p->short_courts;
    for (int j = 0; j < courts; j++)
        place_of[w.word.ids >> ID_BITS * j & ID_MASK] = start->word.ids >> ID_BITS * j & ID_MASK;
    for (int j = 0; j < p->short_courts; j++)
        place_of[w.seam.ids >> ID_BITS * j & ID_MASK] = start->seam.ids >> ID_BITS * j & ID_MASK;
    for (int id = 0; id < start->courts; id++) {
        fit[id] = sets[id];
        for (int at = place_of[id]; at != id; at = place_of[at])
            fit[id] &= sets[at];
        if (!fit[id])
            return 0;
    }
    found->cards = start->word.cards;
    found->courts = courts;
    found->rounds = rounds;
    found->peak = peak;
    found->tricks = w.tricks - start->tricks;
    for (int k = 0; k < rounds; k++) {
        found->at[k].mask = phases[k].mask;
        found->at[k].sets = 0;
        for (int j = 0; j < courts; j++)
            found->at[k].sets |= (uint64_t)fit[phases[k].ids >> ID_BITS * j & ID_MASK] << ID_BITS * j;
    }
    return 1;
}

int follow_word(const seam_play *p, tape_word *start, int most, int *peak, shape *found, int *is_piece)
{
    tape_word w = *start, mark = *start;
    int rounds = 0, mark_round = 0, next_mark = 2;
    *is_piece = 0;
    while (rounds < most && play_round(p, &w, peak, NULL)) {
        rounds++;
        if (w.word.mask == start->word.mask && rounds <= MAX_SHAPE_ROUNDS && lift(p, start, rounds, found)) {
            *is_piece = 1;
            break;
        }
        /* Words may run into a piece instead of being one: the mark moves on (Brent's rule). */
        if (mark_round && w.word.mask == mark.word.mask && rounds - mark_round <= MAX_SHAPE_ROUNDS &&
            lift(p, &mark, rounds - mark_round, found)) {
            *is_piece = 1;
            break;
        }
        if (rounds == next_mark) {
            mark = w;
            mark_round = rounds;
            next_mark *= 2;
        }
    }
    start->tricks = w.tricks;
    start->turned = w.turned;
    return rounds;
}
