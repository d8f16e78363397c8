-- Leases that have not ended, in the order of their keys. ARGV: lower bound of members in the notation of ZRANGEBYLEX,
-- a prefix of members or '', a prefix of names or '', the maximum number of leases.
--
-- Reads a limited number of keys, because Redis runs nothing else meanwhile; the third returned value is the member
-- after which to continue, or false at the end.

local SPAN = 1000
local from, beginning, name_prefix, limit = arg(), arg(), arg(), number()
local to = beginning == '' and '+' or '(' .. beginning .. '\255'

answer(false)
local go_on_after = #answers
local members = redis.call('ZRANGEBYLEX', INDEX, from, to, 'LIMIT', 0, SPAN)
for i, member in ipairs(members) do
    local name = string.sub(member, string.find(member, ',', 1, true) + 1)
    if string.sub(name, 1, #name_prefix) == name_prefix then
        local lease = read(member)
        if lease and not lease.expired then
            answer(lease)
            limit = limit - 1
        end
    end
    if limit == 0 or i == SPAN then
        answers[go_on_after] = member
        break
    end
end
return answers
