-- Leases that have not ended, in the order of their keys. ARGV: lower bound of members in the notation of ZRANGEBYLEX,
-- what members begin with or '', what names begin with or '', how many leases at the most.
--
-- Looks at a limited number of keys, because Redis does nothing else meanwhile; the third value returned is the member
-- to go on after, or false at the end.

local SPAN = 1000
local from, beginning, name_prefix, limit = arg(), arg(), arg(), number()
local to = beginning == '' and '+' or '(' .. beginning .. '\255'

local answers = {'ok', now, false}
local members = redis.call('ZRANGEBYLEX', INDEX, from, to, 'LIMIT', 0, SPAN)
for i, member in ipairs(members) do
    local name = string.sub(member, string.find(member, ',', 1, true) + 1)
    if string.sub(name, 1, #name_prefix) == name_prefix then
        local lease = read(member)
        if lease and not lease.expired then
            answers[#answers + 1] = lease
            limit = limit - 1
        end
    end
    if limit == 0 or i == SPAN then
        answers[3] = member
        break
    end
end
return answers
