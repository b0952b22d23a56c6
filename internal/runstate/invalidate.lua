-- KEYS epoch, run...; ARGV token, keep ms
-- Gives each run another version and takes its entry's freshness. The class floor stays.
-- Without an epoch there is nothing to invalidate: whatever is read next is loaded after this.
local epoch = redis.call('GET', KEYS[1])
if not epoch then
  return 0
end
for i = 2, #KEYS do
  if redis.call('HGET', KEYS[i], 'epoch') == epoch then
    redis.call('HSET', KEYS[i], 'version', ARGV[1])
    redis.call('HDEL', KEYS[i], 'until')
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
  else
    redis.call('DEL', KEYS[i])
  end
end
return 1
