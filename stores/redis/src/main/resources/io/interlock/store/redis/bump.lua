-- Starts a new epoch, above every known token, and a quiet period.

local greatest = floor
for _, member in ipairs(redis.call('ZRANGE', INDEX, 0, -1)) do
    local lease = read(member)
    greatest = math.max(greatest, lease and tonumber(lease[TOKEN]) or 0)
end
epoch = math.max(epoch, math.floor(greatest / EPOCH_UNIT)) + 1
if epoch > 2047 then
    return {'exhausted', now}
end
no_grant_before = math.max(no_grant_before, now + max_lease)
redis.call('HSET', STORE, 'epoch', text(epoch), 'no_grant_before', text(no_grant_before))
return {'ok', now, text(epoch), text(max_lease), text(no_grant_before)}
