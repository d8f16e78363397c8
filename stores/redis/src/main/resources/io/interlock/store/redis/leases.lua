-- The common part of all steps on leases, after head.lua.

-- A caller without an answer has given up by now: its request must not take effect any more.
if now > number() then
    return {'late', now}
end

local store = redis.call('HMGET', STORE, 'format', 'epoch', 'floor', 'max_lease', 'no_grant_before', 'run_id',
    'replid')
if store[1] ~= '1' then
    return {'attach', now}
end
local epoch, floor = tonumber(store[2]), tonumber(store[3])
local max_lease, no_grant_before, run_id, replid = tonumber(store[4]), tonumber(store[5]), store[6], store[7]

-- The fields of a lease in this order, which is also the order in replies; false stands for a missing field.
local ID, TOKEN, EXPIRES, WAITERS, EVICTED_BY, MEMBER = 1, 5, 7, 9, 10, 13

-- The head of a reply: clients remember the epoch and the longest lease, also those that others began, even if this Redis
-- loses them.
local answers = {'ok', now, text(epoch), text(max_lease)}

local function answer(value)
    answers[#answers + 1] = value
end

local function read(member)
    local lease = redis.call('HMGET', SPACE .. ':l:' .. member,
        'id', 'instance', 'label', 'run', 'token', 'granted', 'expires', 'delay', 'waiters',
        'evicted_by', 'evicted_for', 'evicted_at', 'probed')
    if not lease[ID] then
        return false
    end
    lease.probed = lease[MEMBER] == '1'
    lease[MEMBER] = member
    lease.expires = tonumber(lease[EXPIRES])
    if lease.expires > now + max_lease then
        -- Written before the clock was set back.
        lease.expires, lease.shortened = now + max_lease, true
        lease[EXPIRES] = text(lease.expires)
    end
    lease.opens = lease.expires + tonumber(lease[8])
    lease.expired = lease.expires <= now
    lease.evicted = lease[EVICTED_BY] ~= false
    return lease
end

local function write(lease, ...)
    redis.call('HSET', SPACE .. ':l:' .. lease[MEMBER], ...)
end

local function matches(lease, id, token)
    return lease and lease[ID] == id and lease[TOKEN] == token
end

-- The floor is raised before the record is deleted, so that a token of this key is never reused. A full Redis
-- refuses HSET as the first write of a script, but not after another one; a release must work even then.
local function remove(lease)
    local token = tonumber(lease[TOKEN])
    redis.call('ZREM', DUE, lease[MEMBER])
    redis.call('ZREM', INDEX, lease[MEMBER])
    if token > floor then
        floor = token
        redis.call('HSET', STORE, 'floor', text(floor))
    end
    redis.call('DEL', SPACE .. ':l:' .. lease[MEMBER])
end
