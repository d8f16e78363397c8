-- Releases leases. ARGV: the number of requests, and for each: member, id, token.

local function release(lease, id, token)
    if not matches(lease, id, token) then
        return {'gone', lease}
    end
    remove(lease)
    if tonumber(lease[WAITERS] or 0) > now then
        -- A wake-up is a hint: a missing right to publish must not undo the release.
        redis.pcall('PUBLISH', SPACE .. ':wake', lease[MEMBER])
    end
    return {(lease.expired or lease.evicted) and 'lapsed' or 'released', lease}
end

for _ = 1, number() do
    answer(release(read(arg()), arg(), arg()))
end
return answers
