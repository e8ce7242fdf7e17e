"""The texts and files of the demo's working day, recorded once."""

NOTES = """\
> team call tue 14 oct: ana, ben, chloe
> website: launch moves to 3 nov, everybody agrees. ben tells the printer by friday
> newsletter: chloe drafts, ana checks. no date yet
> ben: do we still need the paper brochure?? next time
> parking for visitors, somebody has to ask the landlord"""

DRAFT_MINUTES = """\
# Team call, Tuesday 14 October

**Present:** Ana, Ben, Chloe

## Decisions

- The website is launched on 3 November (all)

## Tasks

| who | what | until |
|---|---|---|
| Ben | tell the printer about the new date | Friday |
| Chloe | draft the newsletter; Ana checks it | no date |
| Ben | ask the landlord about parking for visitors | no date |

## Open questions

- Do we still need the paper brochure? (next call)

## From the notes

- Launch: "launch moves to 3 nov, everybody agrees"
- Printer: "ben tells the printer by friday"
- Newsletter: "chloe drafts, ana checks. no date yet"
- Parking: "somebody has to ask the landlord"
"""

MINUTES = """\
# Team call, Tuesday 14 October

**Present:** Ana, Ben, Chloe

## Decisions

- The website is launched on 3 November (all)

## Tasks

| who | what | until |
|---|---|---|
| Ben | tell the printer about the new date | Friday |
| Chloe | draft the newsletter; Ana checks it | no date |

## Open questions

- Do we still need the paper brochure? (next call)
- Who asks the landlord about parking for visitors?

---

One change: the draft gave the question about parking to Ben. The notes name nobody, so it is open.
"""

EXPENSES = """\
date;what;amount
03.11.2025;Train to Bern ;48,60
2025-11-04;Lunch;23,50
4.11.2025; Hotel;129,00
2025-11-04;Lunch;23,50
;Coffee;4,2
"""

CLEAN_EXPENSES = """\
date,what,amount
2025-11-03,Train to Bern,48.60
2025-11-04,Lunch,23.50
2025-11-04,Hotel,129.00
"""

REJECTED_EXPENSES = """\
date;what;amount
2025-11-04;Lunch;23,50
;Coffee;4,2
"""

PRICES = '''\
"""Prices of a shop, with tax. Run it to run its tests: python3 demo_prices.py"""

import unittest


def with_tax(price: float, percent: int) -> float:
    return int(price * (100 + percent)) / 100


class Prices(unittest.TestCase):
    def test_a_round_price(self) -> None:
        self.assertEqual(with_tax(100, 19), 119.0)

    def test_a_price_with_cents(self) -> None:
        self.assertEqual(with_tax(9.99, 19), 11.89)


if __name__ == "__main__":
    unittest.main()
'''

REPORT = """\
# Week 45

- The website is ready for 3 November.
- The printer knows the new date.
- Open: parking for visitors.
"""

LONG = """# A long answer

This answer is long enough to be streamed, formatted and split.

## What it holds

- a list with **bold**, *italic* and `code`
- a [link](https://example.org/)
  - and a second level

1. first
2. second

## A code block

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```

## A table

| tool | asks first |
|---|---|
| current_time | no |
| write_file | yes |
| run_command | yes |

> A quote, for the sake of it.

""" + "\n\n".join(
    f"Paragraph {number}. " + "The demo has nothing to say, and says it at length. " * 8
    for number in range(1, 13)
)
