"""Reading whom to invite: a pasted list, or a table as spreadsheets save it."""

import pytest

from annotations.models import Role
from annotations.people.membership.addresses import BadAddresses, read_addresses, read_table


def test_a_name_before_an_address_is_kept():
    (erin,) = read_addresses('"Erin Expert" <Erin@example.org>')
    assert (erin.email, erin.name) == ("Erin@example.org", "Erin Expert")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_read_whatever_separates_its_cells(mark):
    text = "\ufeff" + "\r\n".join(
        mark.join(row) for row in (["Role", "E-Mail", "Where", "Name"], ["admin", "A@example.org", "Kiel", "Ann"])
    )
    (ann,) = read_table(text)
    assert (ann.email, ann.name, ann.role, ann.number, ann.reason) == ("A@example.org", "Ann", Role.ADMIN, 2, "")


def test_without_a_first_line_the_cells_are_address_name_and_role():
    erin, ben = read_table('erin@example.org,"Expert, Erin",Expert\n\nben@example.org\n')
    assert (erin.name, erin.role) == ("Expert, Erin", Role.EXPERT)
    assert (ben.number, ben.name, ben.role) == (3, "", None)


def test_every_bad_line_says_what_is_wrong_with_it():
    lines = read_table(
        "email,name,role\nnobody\na@example.org,A,boss\nb@example.org\nB@example.org\n,C\nd@example.org," + "x" * 201
    )
    assert {line.number: (line.given, line.reason) for line in lines if line.reason} == {
        2: ("nobody", "is not an e-mail address"),
        3: ("a@example.org", "has the unknown role “boss”; choose from expert, researcher, admin"),
        5: ("B@example.org", "is already listed in line 4"),
        6: (", C", "is not an e-mail address"),
        7: ("d@example.org", "has a name longer than 200 characters"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,role\nErin,expert", "no column with addresses"),
        ("", "empty"),
        ("\n ,\n", "empty"),
        ('email\n"erin@example.org', "could not be read"),
        ("email\nm\ufffdller@example.org", "UTF-8"),
    ],
)
def test_what_is_no_such_table_is_refused_in_words(text, said):
    with pytest.raises(BadAddresses, match=said):
        read_table(text)
