/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

bool attribute_number(Dwarf_Die *die, unsigned name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dw.dwarf_attr_integrate(die, name, &attribute) || dw.dwarf_formudata(&attribute, &word))
		return false;
	*number = word;
	return true;
}

bool attribute_signed(Dwarf_Die *die, unsigned name, int64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword word;
	unsigned form;

	if (!dw.dwarf_attr_integrate(die, name, &attribute))
		return false;
	form = dw.dwarf_whatform(&attribute);
	/* What has a length of its own, and no sign in its form, has none (DW_FORM_data1, ...). */
	if (form != DW_FORM_sdata && form != DW_FORM_implicit_const) {
		Dwarf_Word plain;

		if (dw.dwarf_formudata(&attribute, &plain))
			return false;
		*number = (int64_t)plain;
		return true;
	}
	if (dw.dwarf_formsdata(&attribute, &word))
		return false;
	*number = word;
	return true;
}

bool attribute_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	return dw.dwarf_attr_integrate(die, name, &attribute) && dw.dwarf_formflag(&attribute, &flag) == 0 && flag;
}

bool attribute_die(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
	Dwarf_Attribute attribute;

	return dw.dwarf_attr(die, name, &attribute) && dw.dwarf_formref_die(&attribute, to);
}
